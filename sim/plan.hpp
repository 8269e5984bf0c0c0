// The shape of one world, drawn from its seed: how many clients and names, how long leases last, how
// clocks run, how bad the network is.
#pragma once

#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/timing.hpp"
#include "sim/clock.hpp"
#include "sim/faults.hpp"

namespace tenure::sim {

struct Plan {
  Faults faults;
  core::Timing timing;
  std::size_t clients = 2;
  std::vector<std::string> names;
  bool worst_drift = false;      // all clocks at the bound
  bool password = false;         // a greeting stands before the first request
  std::uint64_t calls_goal = 0;  // the storm goes on until so many script calls
  Duration delay_usual{};        // one way
  double tail = 0;               // the share of messages that take much longer
  double loss = 0;
  double duplicate = 0;
  Duration fault_every{};  // the mean time between faults that begin and end
};

// The promised bound: no two clocks differ in rate by more than a tenth. (1 + 0.047) / (1 - 0.047) is
// just below it.
inline constexpr Drift drift_max = 47'000;

Plan make_plan(const Faults& faults, core::Random& random);
Drift draw_drift(const Plan& plan, bool of_node, core::Random& random);

}  // namespace tenure::sim
