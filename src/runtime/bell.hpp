// Wakes one thread. What was rung before it waits is not missed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/time.hpp"

namespace tenure::runtime {

class Bell {
 public:
  enum Ring : std::uint32_t {
    look = 1,  // something has changed; heard once
    done = 2,  // the last that is rung: from then on the bell may be gone
  };

  void ring(Ring what);
  // Until it rings, or for about that long. True when it is done.
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
