// Wakes one thread. A wake-up that comes before it waits is not missed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/base/time.hpp"

namespace tenure::runtime {

class Waker {
 public:
  enum Why : std::uint32_t {
    look = 1,  // something has changed; told once
    done = 2,  // the last: from then on the waker may be gone
  };

  void wake(Why why);
  // Until it is woken, or for about that long. True when it is done.
  bool wait(std::optional<core::Duration> limit = std::nullopt);
  void wait_done() {
    while (!wait()) {
    }
  }

 private:
  static constexpr std::uint32_t sleeps = 4;

  std::atomic<std::uint32_t> state_ = 0;
};

}  // namespace tenure::runtime
