#include "core/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ranges>

#include "core/base/names.hpp"

namespace tenure::core {

std::string to_text(Duration duration) {
  using namespace std::chrono;
  if (duration == Duration::zero()) return "0s";
  // The lowest number of all has no opposite.
  if (duration < Duration::zero()) return "-" + to_text(-std::max(duration, -Duration::max()));
  struct Unit {
    Duration size;
    const char* name;
  };
  static constexpr std::array<Unit, 5> units{{{hours(1), "h"},
                                              {minutes(1), "m"},
                                              {seconds(1), "s"},
                                              {milliseconds(1), "ms"},
                                              {microseconds(1), "us"}}};
  for (const auto& unit : units) {
    if (duration < unit.size) continue;
    if (duration % unit.size == Duration::zero()) {
      return std::to_string(duration / unit.size) + unit.name;
    }
    // 1.5s reads better than 1500ms; beyond a decimal the next smaller unit is exact.
    if (unit.size <= seconds(1) && duration % (unit.size / 10) == Duration::zero()) {
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%lld.%lld%s", static_cast<long long>(duration / unit.size),
                    static_cast<long long>(duration % unit.size / (unit.size / 10)), unit.name);
      return text.data();
    }
  }
  return std::to_string(duration.count()) + "ns";
}

void append_hex16(std::string& text, std::uint64_t bits) {
  static constexpr char digits[] = "0123456789abcdef";
  std::array<char, 16> hex{};
  for (char& digit : std::views::reverse(hex)) {
    digit = digits[bits & 15U];
    bits >>= 4U;
  }
  text.append(hex.data(), hex.size());
}

std::string hex16(std::uint64_t bits) {
  std::string text;
  append_hex16(text, bits);
  return text;
}

std::string printable(std::string_view text, std::size_t length_max) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    if (safe.size() >= length_max) return safe + "…";
    const std::size_t length = utf8_length(text.substr(at));
    const auto first = static_cast<unsigned char>(text[at]);
    if (length == 0 || is_control(text.substr(at, length))) {
      std::array<char, 5> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\x%02x", first);
      safe += escaped.data();
      at += 1;
    } else {
      safe.append(text.substr(at, length));
      at += length;
    }
  }
  return safe;
}

}  // namespace tenure::core
