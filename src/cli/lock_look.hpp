// Looks at locks on all nodes at the same time.
#pragma once

#include <string>
#include <vector>

#include "cli/lock_view.hpp"
#include "cli/nodes.hpp"
#include "core/action.hpp"

namespace tenure::cli {

struct Looked {
  std::vector<LockView> locks{};              // by name
  std::vector<core::NodeFailure> failures{};  // of nodes that did not answer
};

// All names that anything is kept for, under keys that begin so. Goes through all keys of each node, page by page.
Looked look_at_all_locks(const Nodes& nodes, const std::string& key_prefix);

// These names, in their order, also where nothing is there.
Looked look_at_locks(const Nodes& nodes, const std::string& key_prefix,
                     const std::vector<std::string>& names);

// That one name, also if nothing is there.
Looked look_at_lock(const Nodes& nodes, const std::string& key_prefix, const std::string& name);

// Did so many answer that what they show means something?
inline bool enough(const Looked& looked, const Nodes& nodes) {
  return nodes.addresses.size() - looked.failures.size() >= nodes.quorum();
}

}  // namespace tenure::cli
