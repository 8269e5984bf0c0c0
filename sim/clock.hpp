// Time in a simulated world: the true time that only the world knows, and the clocks of its machines,
// which start anywhere and run a little fast or slow.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/time.hpp"
#include "sim/keyspace.hpp"

namespace tenure::sim {

struct TrueClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<TrueClock, duration>;
  static constexpr bool is_steady = true;
};
using TrueTime = TrueClock::time_point;
using core::Duration;

// Parts per million: a clock with +50,000 gains a second in twenty.
using Drift = std::int64_t;

inline Duration drifted(Duration true_length, Drift drift) {
  return true_length + true_length * drift / 1'000'000;
}

// The boot clock of a client's machine.
class LocalClock {
 public:
  LocalClock(Duration offset, Drift drift) : offset_(offset), drift_(drift) {}

  core::Time read(TrueTime now) const {
    return core::Time(offset_ + drifted(now.time_since_epoch(), drift_));
  }

  // The first moment at which it shows that time.
  TrueTime when(core::Time local) const {
    const Duration shown = local.time_since_epoch() - offset_;
    TrueTime guess(shown * 1'000'000 / (1'000'000 + drift_));
    while (read(guess) < local) guess += Duration(1);
    return guess;
  }

  // The machine slept this long. The boot clock goes on meanwhile; other clocks stand still.
  void slept(Duration length) { asleep_ += length; }

 private:
  Duration offset_;
  Drift drift_;
  Duration asleep_{};
};

// The wall clock of a node, by which its keys expire.
class WallClock {
 public:
  WallClock(Duration offset, Drift drift) : offset_(offset), drift_(drift) {}

  NodeTime read(TrueTime now) const {
    const Duration shown = offset_ + drifted(now.time_since_epoch(), drift_);
    return {std::chrono::floor<std::chrono::microseconds>(shown).count()};
  }

 private:
  Duration offset_;
  Drift drift_;
};

}  // namespace tenure::sim
