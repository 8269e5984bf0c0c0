// Times as the core counts them and as users of the library see them: one clock, two types.
#pragma once

#include "core/base/time.hpp"
#include "tenure/clock.hpp"

namespace tenure::runtime {

inline BootClock::time_point to_public(core::Time time) {
  return BootClock::time_point(time.time_since_epoch());
}
inline core::Time to_core(BootClock::time_point time) { return core::Time(time.time_since_epoch()); }

}  // namespace tenure::runtime
