#include "core/base/duration_text.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

#include "core/base/duration_reader.hpp"
#include "core/base/text.hpp"

namespace tenure::core {

namespace {

struct Unit {
  std::string_view name;
  Duration size;
};

constexpr std::array<Unit, 4> units{{{"ms", std::chrono::milliseconds(1)},
                                     {"s", std::chrono::seconds(1)},
                                     {"m", std::chrono::minutes(1)},
                                     {"h", std::chrono::hours(1)}}};

std::optional<Duration> unit_named(std::string_view name) {
  for (const auto& unit : units) {
    if (unit.name == name) return unit.size;
  }
  return std::nullopt;
}

std::size_t digits_at(std::string_view text, std::size_t from) {
  const auto end = text.find_first_not_of("0123456789", from);
  return (end == std::string_view::npos ? text.size() : end) - from;
}

// So many of the unit, or nothing where that is more than duration_max.
std::optional<Duration> times(std::string_view digits, Duration unit) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc{} || count > duration_max / unit) return std::nullopt;
  return count * unit;
}

// "1.5s" is refused because a comma or a lost digit would go unnoticed; say what to write instead.
std::string refuse_fraction(std::string_view quoted, std::string_view whole, std::string_view fraction,
                            Duration unit) {
  const std::string refusal = std::string(quoted) + " is a fraction";
  const auto base = times(whole.empty() ? "0" : whole, unit);
  Duration part = Duration::zero();
  Duration digit_size = unit;
  for (const char digit : fraction) {
    if (digit_size % 10 != Duration::zero()) return refusal + "; write a whole number of ms, s, m or h";
    digit_size /= 10;
    part += (digit - '0') * digit_size;
  }
  constexpr Duration millisecond = std::chrono::milliseconds(1);
  if (!base || part % millisecond != Duration::zero() || *base + part == Duration::zero()) {
    return refusal + "; write a whole number of ms, s, m or h";
  }
  return refusal + ": write " + std::to_string((*base + part) / millisecond) + "ms";
}

}  // namespace

tl::expected<Duration, std::string> parse_duration(std::string_view text) {
  const std::string quoted = "\"" + printable(text, 60) + "\"";
  const auto refuse = [&](std::string_view why) { return tl::unexpected(quoted + std::string(why)); };
  if (text.starts_with('-')) return refuse(" is negative or no duration; write for example 500ms, 30s or 2m");
  const auto whole = text.substr(0, digits_at(text, 0));
  auto rest = text.substr(whole.size());
  if (rest.starts_with('.')) {
    const auto fraction = rest.substr(1, digits_at(rest, 1));
    const auto unit = unit_named(rest.substr(1 + fraction.size()));
    if (unit) return tl::unexpected(refuse_fraction(quoted, whole, fraction, *unit));
  }
  if (whole.empty()) return refuse(" is no duration; write for example 500ms, 30s or 2m");
  if (rest.empty()) return refuse(" has no unit; write ms, s, m or h behind the number");
  const auto unit = unit_named(rest);
  if (!unit) return refuse(" has an unknown unit; write a whole number of ms, s, m or h");
  const auto duration = times(whole, *unit);
  if (!duration) return refuse(" is too long; the most is " + to_text(duration_max) + ", ten years");
  if (*duration == Duration::zero()) return refuse(" is no time at all; it must be above zero");
  return *duration;
}

}  // namespace tenure::core
