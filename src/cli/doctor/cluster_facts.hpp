// What the servers of a Redis Cluster say of themselves when each is asked once: a look that changes nothing, and judges nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/diagnosis.hpp"
#include "cli/doctor/node_facts.hpp"
#include "cli/doctor/rights.hpp"
#include "core/lease/record.hpp"
#include "redis/text/nodes.hpp"

namespace tenure::cli {

struct MasterFacts {
  NodeFacts facts{};            // of its server; the record is that of none of its slots
  std::string place{};          // host and port
  std::size_t slots = 0;        // that it serves
  Asked<SlotCounts> records{};  // what stands in them
  Asked<std::string> state{};   // of the Cluster, as it says: "ok"
  std::vector<ReplicaShown> replicas{};
};

struct ClusterFacts {
  std::optional<core::Failure> down{};  // nobody says who serves what; then nothing below is known
  std::vector<MasterFacts> masters{};
};

// Of nodes that are one Cluster. Reads the record of every slot, in a few round trips to each master.
ClusterFacts look_at_cluster(const redis::Nodes& nodes, const UsedKeys& keys, core::Duration timeout);

// What a master has in its slots, if they have these records.
SlotCounts count_records(const std::vector<std::string>& records, const std::string& life,
                         const core::Terms& ours);

}  // namespace tenure::cli
