// Waits for a descriptor, on the calling thread.
#pragma once

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "core/base/time.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/hourglass.hpp"

namespace tenure::runtime {

// So long goes by, at most, before it is noticed that somebody's patience has ended.
inline constexpr std::chrono::milliseconds hourglass_checked_every{50};

// False when it was not ready before the deadline, or as long as who waits for this thread had patience.
inline bool wait_for(int fd, short events, core::Time deadline) {
  while (true) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - boot_now());
    if (left <= std::chrono::milliseconds::zero() || Hourglass::is_over_here()) return false;
    if (Hourglass::here() != nullptr) left = std::min(left, hourglass_checked_every);
    pollfd ready{fd, events, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

}  // namespace tenure::runtime
