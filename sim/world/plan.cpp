#include "sim/world/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/check.hpp"

namespace tenure::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

core::ElectionPlan draw_election(std::string key, const Plan& plan, core::Random& random) {
  const Duration lease = plan.timing.ttl;
  const auto share = [&](unsigned from, unsigned to) {
    const auto percent = static_cast<std::int64_t>(from + random.below(to - from + 1));
    return std::chrono::duration_cast<milliseconds>(lease * percent / 100);
  };
  core::ElectionOptions options{.lease = lease, .ttl_max = plan.cap};
  if (random.below(2) == 0) {
    options.renew = share(15, 33);
    options.grace = share(0, 25);
    if (*options.grace < core::grace_min) options.grace = Duration::zero();
    options.drain = std::max<Duration>(share(2, 20), core::grace_min);
  }
  auto election = core::plan_election(std::move(key), options);
  core::must(election.has_value(), "the lengths of a world's election fit together");
  election->look_every *= static_cast<std::int64_t>(1 + random.below(8));
  return *election;
}

// Mostly small, so that there are many of them; now and then large.
FleetShape draw_fleet(core::Random& random) {
  const auto one_to = [&](std::size_t from, std::size_t to) { return from + random.below(to - from + 1); };
  FleetShape shape;
  const auto size = random.below(10);
  shape.weights.resize(size < 7 ? one_to(1, 5) : size < 9 ? one_to(6, 10) : one_to(11, 20), 1);
  if (random.below(4) == 0) {
    for (std::uint32_t& weight : shape.weights) weight = static_cast<std::uint32_t>(1 + random.below(4));
  }
  const auto sessions = random.below(60);
  shape.sessions = sessions < 40 ? one_to(1, 12) : sessions < 59 ? one_to(13, 40) : one_to(100, 500);
  return shape;
}

// Locks and elections in some slots, and nothing that is about several nodes.
void make_cluster(Plan& plan, core::Random random) {
  plan.shards = 2 + random.below(2);
  plan.fleet.reset();
  plan.locks = true;
  for (std::size_t i = plan.names.size(); i < 2 + plan.shards; ++i)
    plan.names.push_back("lease:" + std::to_string(i));
  // In the slot of a lock, by what stands in braces.
  for (std::size_t i = 0; i < plan.elections.size(); ++i)
    plan.elections[i].key = "election:{" + plan.names[0] + "}:" + std::to_string(i);
  plan.calls_goal *= 2;
  plan.faults.set(static_cast<std::size_t>(Fault::reshard));
  for (const Fault other : {Fault::fence, Fault::restore, Fault::reconfigure})
    plan.faults.reset(static_cast<std::size_t>(other));
}

}  // namespace

std::vector<std::string> Plan::keys() const {
  std::vector<std::string> keys = names;
  for (const core::ElectionPlan& election : elections) keys.push_back(election.key);
  return keys;
}

Plan make_plan(const Faults& faults, const Profile& profile, core::Random& random) {
  Plan plan;
  static constexpr std::array<std::size_t, 12> usual_nodes{1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 4, 5};
  plan.nodes = usual_nodes[random.below(usual_nodes.size())];
  plan.nodes = profile.nodes.value_or(std::max(plan.nodes, profile.nodes_min));
  plan.short_holds = random.below(4) == 0;
  if (profile.short_holds) plan.short_holds = *profile.short_holds;
  plan.faults = faults;
  // From a fifth of a second to five seconds, as many short ones as long ones.
  const double ttl_ms = 200 * std::pow(25.0, random.fraction());
  const auto timing = core::make_timing({.ttl = milliseconds(static_cast<std::int64_t>(ttl_ms))});
  core::must(timing.has_value(), "a world's timing is sound");
  plan.timing = *timing;
  plan.cap = plan.timing.ttl + plan.timing.ttl * static_cast<std::int64_t>(random.below(3)) / 2;
  plan.cap_max = has(faults, Fault::reconfigure) ? plan.cap * 2 : plan.cap;
  plan.clients = 2 + random.below(4);
  const std::size_t names = 1 + random.below(4);
  for (std::size_t i = 0; i < names; ++i) plan.names.push_back("lease:" + std::to_string(i));
  plan.worst_drift = random.below(2) == 0;  // that is where margins break
  plan.password = random.below(2) == 0;
  plan.calls_goal = (200 + random.below(300)) * (1 + plan.nodes) / 2;
  if (has(faults, Fault::reconfigure)) plan.calls_goal *= 2;  // some quarantines long
  plan.delay_usual = random.between(microseconds(20), microseconds(400));
  // In every fourth world the network is so slow that late answers are usual.
  if (has(faults, Fault::delay)) plan.tail = (random.below(4) == 0 ? 0.3 : 0.04) * random.fraction();
  if (has(faults, Fault::loss)) plan.loss = 0.01 * random.fraction();
  if (has(faults, Fault::duplicate)) plan.duplicate = 0.04 * random.fraction();
  plan.fault_every = plan.timing.ttl * static_cast<std::int64_t>(1 + random.below(6)) / 4;
  // Drawn apart, so that worlds without elections stay as they were.
  core::Random apart(~core::Random(random).next());
  if (profile.elections || apart.below(3) == 0) {
    const std::size_t elections = 1 + apart.below(2);
    for (std::size_t i = 0; i < elections; ++i) {
      plan.elections.push_back(draw_election("election:" + std::to_string(i), plan, apart));
    }
    // Locks take many more calls; the storm is to last for some terms.
    plan.names.resize(1);
    plan.calls_goal *= 2;
  }
  core::Random beside(core::Random(random).next() ^ 1U);
  if (profile.fleet || beside.below(8) == 0) {
    plan.fleet = draw_fleet(beside);
    plan.clients = std::max<std::size_t>(plan.clients, plan.fleet->weights.size());
    if (plan.clients > few) plan.elections.clear();
    plan.locks = beside.below(2) == 0;
    plan.names.resize(1);
    plan.calls_goal += plan.clients * 40 + plan.fleet->sessions * 10;
    // Drawn apart as well, so that all other worlds with fleets stay as they were.
    plan.fleet->data_apart = core::Random(core::Random(random).next() ^ 2U).below(3) == 0;
  }
  if (profile.cluster) make_cluster(plan, core::Random(core::Random(random).next() ^ 4U));
  plan.wild_proposals =
      profile.wild_proposals || core::Random(core::Random(random).next() ^ 3U).below(8) == 0;
  return plan;
}

Drift draw_drift(const Plan& plan, bool of_node, core::Random& random) {
  if (!has(plan.faults, Fault::drift)) return 0;
  // The worst case for a holder: its own clock slow, the clock that its key expires by fast.
  if (plan.worst_drift) return of_node ? drift_max : -drift_max;
  return static_cast<Drift>(random.below(2 * drift_max + 1)) - drift_max;
}

WallClock draw_wall_clock(const Plan& plan, bool of_node, core::Random& random) {
  // Just under half the cap either way.
  const Duration skew_max = Duration(plan.cap) * 48 / 100;
  const Duration skew =
      has(plan.faults, Fault::skew) ? random.between(-skew_max, skew_max) : Duration::zero();
  return {skew, draw_drift(plan, of_node, random), skew_max};
}

}  // namespace tenure::sim
