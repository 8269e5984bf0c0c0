// Time in a simulated world: the true time that only the world knows, and the clocks of its machines,
// which start anywhere and run a little fast or slow.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/base/time.hpp"
#include "sim/redis/keyspace.hpp"

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

  core::Time read(TrueTime now) const;
  // The first moment at which it shows that time.
  TrueTime when(core::Time local) const;

  // The machine slept this long. The boot clock goes on meanwhile; other clocks stand still.
  void slept(Duration length) { asleep_ += length; }

 private:
  Duration offset_;
  Drift drift_;
  Duration asleep_{};
};

// A wall clock: by a node's its keys expire. It is right within its skew, however fast or slow it runs: when it
// is off by that much, it is slewed the other way.
class WallClock {
 public:
  WallClock(Duration skew, Drift drift, Duration skew_max)
      : skew_(skew), drift_(drift), skew_max_(skew_max) {}

  NodeTime read(TrueTime now) const;
  // Somebody sets it.
  void step(Duration by) { stepped_ += by; }

 private:
  static constexpr Duration unix_start = std::chrono::hours(490'000);

  Duration skew_;
  Drift drift_;
  Duration skew_max_;
  Duration stepped_{};
};

}  // namespace tenure::sim
