#include "sim/world/clock.hpp"

namespace tenure::sim {

core::Time LocalClock::read(TrueTime now) const {
  return core::Time(offset_ + drifted(now.time_since_epoch(), drift_));
}

TrueTime LocalClock::when(core::Time local) const {
  const Duration shown = local.time_since_epoch() - offset_;
  const Drift rate = 1'000'000 + drift_;
  TrueTime guess(shown / rate * 1'000'000 + shown % rate * 1'000'000 / rate);  // whole hours would overflow
  while (read(guess) < local) guess += Duration(1);
  return guess;
}

NodeTime WallClock::read(TrueTime now) const {
  const Duration true_time = now.time_since_epoch();
  const Duration swing = skew_max_ * 4;
  Duration off = (skew_ + drifted(true_time, drift_) - true_time + skew_max_) % swing;
  if (off < Duration::zero()) off += swing;
  off = off < swing / 2 ? off - skew_max_ : skew_max_ * 3 - off;
  const Duration shown = unix_start + true_time + off + stepped_;
  return {std::chrono::floor<std::chrono::microseconds>(shown).count()};
}

}  // namespace tenure::sim
