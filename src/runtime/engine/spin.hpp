// How long a caller looks at its sockets before it sleeps. A server on another core answers sooner than a core that sleeps is
// woken, so that looking saves more than the answer takes; where answers take longer, or the server needs this very core,
// looking is only a waste. So it goes on only while answers do come meanwhile. Pure: no clock, no socket.
#pragma once

#include <algorithm>

#include "core/base/time.hpp"

namespace tenure::runtime {

class Spin {
 public:
  // Zero: never.
  explicit Spin(core::Duration length = core::Duration::zero()) : length_(length) {}

  // How long to look, before the sleep that comes next.
  core::Duration next() {
    if (length_ == core::Duration::zero()) return length_;
    if (skip_ > 0) {
      skip_ -= 1;
      return core::Duration::zero();
    }
    return length_;
  }
  // Whether something came while somebody looked for as long as next() said.
  void on_looked(bool came) {
    if (came) {
      misses_ = 0;
      pause_ = pause_min;
      return;
    }
    misses_ += 1;
    if (misses_ < misses_max) return;
    // Tried again now and then, less and less often: the server may have got a core of its own.
    skip_ = pause_;
    pause_ = std::min(2 * pause_, pause_max);
  }

 private:
  static constexpr unsigned misses_max = 4;
  static constexpr unsigned pause_min = 64;  // sleeps
  static constexpr unsigned pause_max = 4'096;

  core::Duration length_;
  unsigned misses_ = 0;  // in a row
  unsigned skip_ = 0;    // so many sleeps without a look
  unsigned pause_ = pause_min;
};

}  // namespace tenure::runtime
