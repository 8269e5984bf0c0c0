// How late this machine lets a thread run that only wants to wake up: the longest time seen. A command has to be ended within
// what remains of a lease; a machine that keeps everybody waiting for longer than that is part of what happened.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/boot_clock.hpp"

namespace tenure::faults {

class Stalls {
 public:
  Stalls()
      : thread_([this](const std::stop_token& stop) {
          constexpr std::chrono::milliseconds nap{5};
          while (!stop.stop_requested()) {
            const core::Time before = runtime::boot_now();
            std::this_thread::sleep_for(nap);
            const core::Duration late = runtime::boot_now() - before - nap;
            if (late > longest_.load()) longest_ = late;
          }
        }) {}

  core::Duration longest() const { return longest_; }

 private:
  std::atomic<core::Duration> longest_{};
  std::jthread thread_;
};

}  // namespace tenure::faults
