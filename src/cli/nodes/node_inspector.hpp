// What the program shows of the nodes and of the leases there, of whatever kind of store they are: asked from outside, over connections
// of its own. Changes nothing, begins no quarantine, and knows nothing of clients in this process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/doctor/closed_node.hpp"
#include "cli/doctor/diagnosis.hpp"
#include "cli/endpoint/readiness.hpp"
#include "cli/lock/lock_look.hpp"
#include "core/base/time.hpp"
#include "core/lease/record.hpp"
#include "core/nodes.hpp"

namespace tenure::cli {

// All functions may be called on several threads. Each asks all nodes at the same time, and blocks until the slowest has answered, or has
// had a few seconds.
class NodeInspector {
 public:
  struct About {
    std::vector<std::string> names{};  // of the nodes, without secrets
    core::Terms terms{};
    std::string root{};         // what every key begins with
    std::string how_to_init{};  // ": tenure init …", to be read behind "if it is new"; without secrets
  };

  virtual ~NodeInspector() = default;
  NodeInspector(const NodeInspector&) = delete;
  NodeInspector& operator=(const NodeInspector&) = delete;

  const std::vector<std::string>& names() const { return about_.names; }
  std::size_t quorum() const { return core::quorum_of(about_.names.size()); }
  const core::Terms& terms() const { return about_.terms; }
  const std::string& root() const { return about_.root; }
  const std::string& how_to_init() const { return about_.how_to_init; }

  // Of leases with that prefix, whose clients wait so long for a node.
  virtual Diagnosis diagnose(const std::string& lock_prefix, core::Duration node_timeout) const = 0;
  // In two seconds at most.
  Readiness readiness() const;
  ClosedNodes closed_nodes() const;

  // Of locks, elections and fleets. Goes through all keys of each node, page by page.
  virtual AllLeases all_leases(const std::string& lock_prefix, ShowSessions sessions) const = 0;
  // All names that anything is kept for, under keys that begin so. Goes through all keys of each node, page by page.
  virtual Looked leases_under(const std::string& key_prefix) const = 0;
  // Of these names, in their order, also where nothing is there.
  virtual LeasesLooked leases(const std::string& key_prefix, const std::vector<std::string>& names) const = 0;
  // That one name, also if nothing is there.
  virtual Looked lease(const std::string& key_prefix, const std::string& name) const = 0;
  // What is kept for that name as a lock, an election, or a session of the fleet: the first that is taken is the first; if
  // none is, one that only shows leftovers, or the name alone with no kind.
  virtual Looked leases_of(const LeaseTarget& target, const std::string& name) const = 0;

 protected:
  explicit NodeInspector(About about) : about_(std::move(about)) {}

 private:
  // A node has the patience to be reached, and as long again to answer.
  virtual NodesClosed look_at_records(core::Duration patience) const = 0;

  About about_;
};

}  // namespace tenure::cli
