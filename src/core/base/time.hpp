// Points in time on a clock that goes on while the machine sleeps (CLOCK_BOOTTIME).
// There is no now() here: whoever drives the core says what time it is.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace tenure::core {

using Duration = std::chrono::nanoseconds;

// The tag of the boot clock. It has no now(): the core cannot read a clock even by mistake.
struct BootClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock, duration>;
  static constexpr bool is_steady = true;
};

using Time = BootClock::time_point;

// The length of a lease, and what is left of it. Stores count these in whole milliseconds.
using Ttl = std::chrono::milliseconds;

inline constexpr Time long_ago = Time::min();

// Of two moments that there may be.
inline std::optional<Time> sooner(std::optional<Time> one, std::optional<Time> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

}  // namespace tenure::core
