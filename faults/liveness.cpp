#include "faults/liveness.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/boot_clock.hpp"

namespace tenure::faults {

namespace {

using namespace std::chrono_literals;

std::optional<std::string> missing_locks(World& world, core::Time since) {
  const Crowd& crowd = world.crowd();
  std::set<std::string> clients;
  for (const auto& name : {short_job, long_job}) {
    for (const auto& who : world.writes().writers(name, since)) clients.insert(who.substr(0, who.find('.')));
  }
  if (clients.size() == crowd.locks) return std::nullopt;
  return std::to_string(clients.size()) + " of " + std::to_string(crowd.locks) +
         " clients have had their lock";
}

std::optional<std::string> missing_leader(World& world, core::Time since) {
  const auto lately = std::max(since, runtime::boot_now() - 2s);
  if (!world.writes().writers(leadership, lately).empty()) return std::nullopt;
  return "nobody has led for two seconds";
}

// How many sessions each instance owns, by most of the nodes.
std::map<std::string, std::size_t> shares(World& world) {
  const Crowd& crowd = world.crowd();
  std::vector<std::string> names;
  for (const auto& session : world.sessions()) names.push_back("poll:lease:" + session);
  std::map<std::pair<std::size_t, std::string>, std::size_t> votes;
  std::map<std::string, std::size_t> shares;
  for (std::size_t node = 0; node < crowd.nodes; ++node) {
    const auto leases = world.node(node).shown(names);
    for (std::size_t i = 0; i < leases.size(); ++i) {
      const Shown& lease = leases[i];
      // Counted once, with the vote that makes it a majority.
      if (!lease.grant.empty() && ++votes[{i, lease.grant}] == crowd.nodes / 2 + 1) shares[lease.owner] += 1;
    }
  }
  return shares;
}

std::optional<std::string> missing_shares(World& world) {
  const Crowd& crowd = world.crowd();
  auto owned = shares(world);
  std::size_t all = 0;
  for (std::size_t client = crowd.locks + crowd.candidates; client < crowd.clients(); ++client) {
    const std::string id = world.client(client).current();
    const std::size_t share = owned[id];
    if (share < crowd.sessions / crowd.instances ||
        share > (crowd.sessions + crowd.instances - 1) / crowd.instances)
      return id + " owns " + std::to_string(share) + " sessions";
    all += share;
  }
  if (all == crowd.sessions) return std::nullopt;
  return std::to_string(all) + " of " + std::to_string(crowd.sessions) +
         " sessions are owned by instances that run";
}

std::optional<std::string> missing_polls(World& world, core::Time since) {
  std::set<std::string> polled;
  for (const auto& visit : world.target().visits()) {
    if (visit.began >= since) polled.insert(visit.session);
  }
  if (polled.size() == world.crowd().sessions) return std::nullopt;
  return std::to_string(polled.size()) + " of " + std::to_string(world.crowd().sessions) +
         " sessions have been polled";
}

}  // namespace

std::optional<std::string> missing(World& world, core::Time since) {
  if (auto what = missing_locks(world, since)) return what;
  if (world.crowd().candidates > 0) {
    if (auto what = missing_leader(world, since)) return what;
  }
  if (world.crowd().instances == 0) return std::nullopt;
  if (auto what = missing_shares(world)) return what;
  return missing_polls(world, since);
}

}  // namespace tenure::faults
