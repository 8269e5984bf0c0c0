#include "sim/plan.hpp"

#include <cmath>

#include "core/check.hpp"

namespace tenure::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;

Plan make_plan(const Faults& faults, core::Random& random) {
  Plan plan;
  plan.faults = faults;
  // From a fifth of a second to five seconds, as many short ones as long ones.
  const double ttl_ms = 200 * std::pow(25.0, random.fraction());
  const auto timing = core::make_timing({.ttl = milliseconds(static_cast<std::int64_t>(ttl_ms))});
  core::must(timing.has_value(), "a world's timing is sound");
  plan.timing = *timing;
  plan.clients = 2 + random.below(4);
  const std::size_t names = 1 + random.below(4);
  for (std::size_t i = 0; i < names; ++i) plan.names.push_back("lease:" + std::to_string(i));
  plan.worst_drift = random.below(2) == 0;  // that is where margins break
  plan.password = random.below(2) == 0;
  plan.calls_goal = 350 + random.below(500);
  plan.delay_usual = random.between(microseconds(20), microseconds(400));
  // In every fourth world the network is so slow that late answers are usual.
  if (has(faults, Fault::delay)) plan.tail = (random.below(4) == 0 ? 0.3 : 0.04) * random.fraction();
  if (has(faults, Fault::loss)) plan.loss = 0.01 * random.fraction();
  if (has(faults, Fault::duplicate)) plan.duplicate = 0.04 * random.fraction();
  plan.fault_every = plan.timing.ttl * static_cast<std::int64_t>(1 + random.below(6)) / 4;
  return plan;
}

Drift draw_drift(const Plan& plan, bool of_node, core::Random& random) {
  if (!has(plan.faults, Fault::drift)) return 0;
  // The worst case for a holder: its own clock slow, the clock that its key expires by fast.
  if (plan.worst_drift) return of_node ? drift_max : -drift_max;
  return static_cast<Drift>(random.below(2 * drift_max + 1)) - drift_max;
}

}  // namespace tenure::sim
