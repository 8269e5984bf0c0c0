// Looks at locks and other leases on all nodes of Redis at the same time.
#pragma once

#include <string>
#include <vector>

#include "cli/lock/lock_look.hpp"
#include "cli/nodes/nodes.hpp"

namespace tenure::cli {

// See NodeInspector, whose functions these are on Redis. What has to be found goes through all keys of each node, page by page.
AllLeases look_at_all_leases(const Nodes& nodes, const std::string& lock_prefix, ShowSessions sessions);
Looked look_at_all_locks(const Nodes& nodes, const std::string& key_prefix);
LeasesLooked look_at_leases(const Nodes& nodes, const std::string& key_prefix,
                            const std::vector<std::string>& names);
Looked look_at_lock(const Nodes& nodes, const std::string& key_prefix, const std::string& name);
Looked look_at_name(const Nodes& nodes, const LeaseTarget& target, const std::string& name);

}  // namespace tenure::cli
