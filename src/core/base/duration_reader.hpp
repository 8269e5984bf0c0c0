// Durations that users give, counted in milliseconds, as the core counts them, in nanoseconds. The one way from one to the
// other: what does not fit is refused by the name of its field, or cut where it means "for ever". Nothing overflows.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace tenure::core {

// Ten years: far above every use, and far below where arithmetic with nanoseconds ends.
inline constexpr Duration duration_max = std::chrono::hours(87'600);

// For what may last for ever: whatever is longer than duration_max, either way, is as long as that.
constexpr Duration saturated(std::chrono::milliseconds given) {
  constexpr auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(duration_max);
  return std::clamp(given, -longest, longest);
}

// Reads the fields of one struct of options, and remembers the first that is wrong. What it says of that one does not count.
class DurationReader {
 public:
  // From zero to the most.
  Duration read(std::string_view field, std::chrono::milliseconds given, Duration most = duration_max);
  std::optional<Duration> read(std::string_view field, const std::optional<std::chrono::milliseconds>& given);
  // The same, and not zero.
  Duration read_positive(std::string_view field, std::chrono::milliseconds given,
                         Duration most = duration_max);

  // A sentence that names the field; nothing: all were right.
  const std::optional<std::string>& error() const { return error_; }

 private:
  void refuse(std::string_view field, const std::string& why);

  std::optional<std::string> error_;
};

}  // namespace tenure::core
