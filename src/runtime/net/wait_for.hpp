// Waits for a descriptor, on the calling thread.
#pragma once

#include <poll.h>

#include <cerrno>
#include <chrono>

#include "core/base/time.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::runtime {

// False when it was not ready before the deadline.
inline bool wait_for(int fd, short events, core::Time deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - boot_now());
    if (left <= std::chrono::milliseconds::zero()) return false;
    pollfd ready{fd, events, 0};
    const int count = poll(&ready, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

}  // namespace tenure::runtime
