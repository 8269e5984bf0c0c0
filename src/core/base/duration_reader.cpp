#include "core/base/duration_reader.hpp"

#include "core/base/text.hpp"

namespace tenure::core {

namespace {

// Also of what cannot be counted in nanoseconds.
std::string shown_given(std::chrono::milliseconds given) {
  const Duration cut = saturated(given);
  const bool whole = std::chrono::duration_cast<std::chrono::milliseconds>(cut) == given;
  return whole ? to_text(cut) : std::to_string(given.count()) + "ms";
}

}  // namespace

void DurationReader::refuse(std::string_view field, const std::string& why) {
  if (!error_) error_ = std::string(field) + " " + why;
}

Duration DurationReader::read(std::string_view field, std::chrono::milliseconds given, Duration most) {
  if (given < std::chrono::milliseconds::zero()) {
    refuse(field, "is " + shown_given(given) + ", which is negative");
  } else if (given > std::chrono::floor<std::chrono::milliseconds>(most)) {
    refuse(field, "is " + shown_given(given) + ", which is too long; the most is " + to_text(most));
  }
  return saturated(given);
}

std::optional<Duration> DurationReader::read(std::string_view field,
                                             const std::optional<std::chrono::milliseconds>& given) {
  if (!given) return std::nullopt;
  return read(field, *given);
}

Duration DurationReader::read_positive(std::string_view field, std::chrono::milliseconds given,
                                       Duration most) {
  if (given == std::chrono::milliseconds::zero()) refuse(field, "is zero; it must be more than that");
  return read(field, given, most);
}

}  // namespace tenure::core
