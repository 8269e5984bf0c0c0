// Looks at locks and other leases on all nodes at the same time.
#pragma once

#include <string>
#include <vector>

#include "cli/lock/lock_view.hpp"
#include "cli/nodes/nodes.hpp"
#include "core/nodes.hpp"
#include "core/notice.hpp"

namespace tenure::cli {

using NodeFailures = std::vector<core::NodeFailure>;

struct Looked {
  std::vector<LockView> locks{};  // by name
  NodeFailures failures{};        // of nodes that did not answer
  std::size_t hidden = 0;         // keys that the user may not look at, on the node with the most of them
};

// All names that anything is kept for, under keys that begin so. Goes through all keys of each node, page by page.
Looked look_at_all_locks(const Nodes& nodes, const std::string& key_prefix);

// That one name, also if nothing is there.
Looked look_at_lock(const Nodes& nodes, const std::string& key_prefix, const std::string& name);

// Which names are meant, and how their keys are found.
struct LeaseTarget {
  std::string lock_prefix;
  std::string fleet{};  // whose sessions
};

// What is kept for that name as a lock, an election, or a session of the fleet: the first that is taken is the first; if
// none is, one that only shows leftovers, or the name alone with no kind.
Looked look_at_name(const Nodes& nodes, const LeaseTarget& target, const std::string& name);

// Sessions are counted, or listed as well.
enum class ShowSessions : std::uint8_t { counted, listed };

struct FleetCount {
  std::string fleet;
  std::size_t sessions = 0;   // that somebody owns
  std::size_t instances = 0;  // that own some
};
struct LeasesLooked {
  std::vector<LeaseView> leases{};
  NodeFailures failures{};  // of nodes that did not answer
};
// Of these names, in their order, also where nothing is there.
LeasesLooked look_at_leases(const Nodes& nodes, const std::string& key_prefix,
                            const std::vector<std::string>& names);

struct AllLeases {
  Looked looked{};
  std::vector<FleetCount> fleets{};  // by name
};

// All leases, of locks, elections and fleets. Goes through all keys of each node, page by page.
AllLeases look_at_all_leases(const Nodes& nodes, const std::string& lock_prefix, ShowSessions sessions);

// Did so many answer that what they show means something?
inline bool enough(const NodeFailures& failures, std::size_t nodes) {
  return nodes - failures.size() >= core::quorum_of(nodes);
}

}  // namespace tenure::cli
