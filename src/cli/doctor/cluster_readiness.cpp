#include "cli/doctor/cluster_readiness.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/doctor/redis_record.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "redis/net/cluster_call.hpp"

namespace tenure::cli {

namespace {

// Of each master, evenly spread: what befalls a server befalls all its slots, and what befalls one slot is no reason to be not ready.
constexpr std::size_t slots_looked_at = 32;

struct MasterLooked {
  std::size_t slots = 0;  // how many of those that it serves give leases, by what some of them say
  std::optional<ClosedNode> closed{};  // the first that does not
};

std::vector<redis::Slot> some_of(const std::vector<redis::Slot>& slots) {
  std::vector<redis::Slot> some;
  const std::size_t count = std::min(slots.size(), slots_looked_at);
  for (std::size_t i = 0; i < count; ++i) some.push_back(slots[i * slots.size() / count]);
  return some;
}

tl::expected<MasterLooked, core::Failure> look_at_master(redis::Caller& redis, const Master& master,
                                                         const redis::Address& cluster,
                                                         const Criteria& criteria) {
  Criteria of_slot = criteria;
  const std::vector<redis::Slot> some = some_of(master.slots);
  std::vector<redis::Command> commands;
  for (const redis::Slot slot : some) {
    commands.push_back({"GET", criteria.keys.keyspace.of_slot(slot).record()});
  }
  auto facts = look_at_record(redis, cluster, criteria.keys.keyspace.of_slot(some.front()));
  if (!facts) return tl::unexpected(facts.error());
  const auto records = call_each(redis, commands);
  MasterLooked looked;
  std::size_t open = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    of_slot.keys.keyspace = criteria.keys.keyspace.of_slot(some[i]);
    facts->record = records.map([&](const std::vector<redis::Value>& values) { return values[i].text; });
    auto closed = closed_node(*facts, of_slot);
    if (!closed) {
      open += 1;
    } else if (!looked.closed) {
      closed->what =
          "most of its slots give no leases; slot " + std::to_string(some[i]) + ": " + closed->what;
      looked.closed = std::move(closed);
    }
  }
  looked.slots = master.slots.size() * open / some.size();
  return looked;
}

}  // namespace

tl::expected<std::optional<ClosedNode>, core::Failure> look_at_some_slots(const redis::Nodes& cluster,
                                                                          const Criteria& criteria,
                                                                          core::Duration patience) {
  const redis::Address& address = cluster.addresses.front();
  const auto map = redis::find_slot_map(address, cluster.tls, patience);
  if (!map) return tl::unexpected(map.error());
  const std::vector<Master> masters = masters_in(*map);
  const auto looked =
      ask_masters<MasterLooked>(cluster, masters, patience, [&](redis::Caller& redis, std::size_t i) {
        return look_at_master(redis, masters[i], address, criteria);
      });
  std::size_t open = 0;
  for (const auto& it : looked) open += it ? it->slots : 0;
  if (open * 2 > redis::slots) return std::nullopt;
  for (const auto& it : looked) {
    if (!it) return tl::unexpected(it.error());
    if (it->closed) return it->closed;
  }
  return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::server,
                                      "it serves only " + std::to_string(map->served()) + " of its " +
                                          std::to_string(redis::slots) + " slots"});
}

}  // namespace tenure::cli
