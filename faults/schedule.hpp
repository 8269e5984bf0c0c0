// Which faults a run has, and when: made from a seed before it begins. The same seed gives the same schedule.
//
// It keeps to what docs/guarantees.md assumes. A node whose clock is set forward has not been reached for longer than a lease
// lasts, because leases that others still believe in would end early; one clock at a time is wrong, by less than the cap. A
// lease is deleted on one node, and only while all show it.
//
// Storms and lulls alternate, so that grants happen and quarantines end; the last `calm_end` have no fault at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faults/crowd.hpp"
#include "faults/fault.hpp"

namespace tenure::faults {

inline constexpr std::chrono::seconds calm_end{15};

// In the order in which they begin.
std::vector<Fault> make_schedule(std::uint64_t seed, core::Duration length, const Crowd& crowd);

// One line.
std::string to_text(const Fault& fault, const Crowd& crowd);

}  // namespace tenure::faults
