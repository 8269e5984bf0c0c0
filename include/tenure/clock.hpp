// The clock that deadlines are on: it goes on while the machine sleeps, and nobody can set it.
#pragma once

#include <chrono>

namespace tenure {

/// CLOCK_BOOTTIME as a clock of the standard library.
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
};

}  // namespace tenure
