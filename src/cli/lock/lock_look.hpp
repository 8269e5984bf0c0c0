// What a look at locks and other leases shows, on nodes of whatever kind of store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lock/lock_view.hpp"
#include "core/nodes.hpp"
#include "core/notice.hpp"

namespace tenure::cli {

using NodeFailures = std::vector<core::NodeFailure>;

struct Looked {
  std::vector<LockView> locks{};  // by name
  NodeFailures failures{};        // of nodes that did not answer
  std::size_t hidden = 0;         // keys that the user may not look at, on the node with the most of them
};

// Which names are meant, and how their keys are found.
struct LeaseTarget {
  std::string lock_prefix;
  std::string fleet{};  // whose sessions
};

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

struct AllLeases {
  Looked looked{};
  std::vector<FleetCount> fleets{};  // by name
};

// Did so many answer that what they show means something?
inline bool enough(const NodeFailures& failures, std::size_t nodes) {
  return nodes - failures.size() >= core::quorum_of(nodes);
}

}  // namespace tenure::cli
