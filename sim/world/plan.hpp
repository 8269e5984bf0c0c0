// The shape of one world, drawn from its seed: how many clients and names, how long leases last, how
// clocks run, how bad the network is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "core/election/election_plan.hpp"
#include "core/lease/timing.hpp"
#include "sim/world/clock.hpp"
#include "sim/world/faults.hpp"

namespace tenure::sim {

// What the keys of a world's fleet begin with.
inline const std::string fleet_prefix = "poll:";

// A fleet of the first so many clients.
struct FleetShape {
  std::vector<std::uint32_t> weights;  // by client
  std::size_t sessions = 0;            // at first
  bool data_apart = false;             // its heartbeats are on a Redis of their own
};

struct Plan {
  Faults faults;
  core::Timing timing;
  core::Ttl cap{};      // the least that there is in this world
  core::Ttl cap_max{};  // and the largest: others only where somebody changes it
  std::size_t nodes = 1;
  std::size_t shards = 0;  // the one node is a Cluster of so many servers; 0: nodes are servers
  std::size_t clients = 2;
  std::vector<std::string> names;
  std::vector<core::ElectionPlan> elections;  // over other names; in every third world
  std::optional<FleetShape> fleet;            // in every eighth world
  bool locks = true;                          // are names wished for while the storm lasts?
  bool short_holds = false;      // shorter than a node timeout: where tokens that repeat would show
  bool worst_drift = false;      // all clocks at the bound
  bool wild_proposals = false;   // tokens are proposed at random; in every eighth world
  bool password = false;         // a greeting stands before the first request
  std::uint64_t calls_goal = 0;  // the storm goes on until so many script calls
  Duration delay_usual{};        // one way
  double tail = 0;               // the share of messages that take much longer
  double loss = 0;
  double duplicate = 0;
  Duration fault_every{};  // the mean time between faults that begin and end

  // The Redis of the heartbeats, if it is none of the nodes. It has the index behind theirs, and decides about no lease.
  std::optional<std::size_t> data_node() const {
    return fleet && fleet->data_apart ? std::optional(nodes) : std::nullopt;
  }
  // The nodes, and the data node where there is one; or those of the Cluster.
  std::size_t servers() const { return shards > 0 ? shards : nodes + (data_node() ? 1 : 0); }
  // Those that have leases.
  std::size_t lease_servers() const { return shards > 0 ? shards : nodes; }
  // The names of all leases that locks and elections are about.
  std::vector<std::string> keys() const;
};

// So many clients at most are asked about locks and elections when the storm is over; larger crowds only share sessions.
inline constexpr std::size_t few = 5;

// The promised bound: no two clocks differ in rate by more than a tenth. (1 + 0.047) / (1 - 0.047) is
// just below it.
inline constexpr Drift drift_max = 47'000;

// How many nodes, and what the clients do with their leases.
struct Profile {
  std::optional<std::size_t> nodes{};  // else 1 to 5
  std::size_t nodes_min = 1;
  std::optional<bool> short_holds{};  // else in every fourth world
  bool wild_proposals = false;        // in every world, not in every eighth
  bool elections = false;             // in every world, not in every third
  bool fleet = false;                 // in every world, not in every eighth
  bool cluster = false;               // the node is a Redis Cluster
};

// How long work takes to end that does nothing unexpected, at the most.
inline Duration drain_calm(const Plan& plan) { return plan.timing.ttl / 20; }

Plan make_plan(const Faults& faults, const Profile& profile, core::Random& random);
Drift draw_drift(const Plan& plan, bool of_node, core::Random& random);
// Wall clocks agree within the cap, which tokens need.
WallClock draw_wall_clock(const Plan& plan, bool of_node, core::Random& random);

}  // namespace tenure::sim
