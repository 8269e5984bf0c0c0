// Which nodes give no new leases now, and for how long: for whoever shows something else, and should say so, too.
#pragma once

#include <optional>

#include "cli/doctor/node_facts.hpp"
#include "cli/doctor/node_findings.hpp"
#include "cli/fleet/fleet_view.hpp"

namespace tenure::cli {

// As much of the facts as closed_node() needs. Changes nothing, and begins no quarantine.
tl::expected<NodeFacts, core::Failure> look_at_record(redis::Caller& redis, const redis::Address& address,
                                                      const redis::Keyspace& keyspace);

// Nothing when it gives leases. Pure: asks nothing.
std::optional<ClosedNode> closed_node(const NodeFacts& node, const Criteria& criteria);

}  // namespace tenure::cli
