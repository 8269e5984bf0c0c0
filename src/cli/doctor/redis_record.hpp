// The record of one Redis, and what it means for us now.
#pragma once

#include <optional>
#include <tl/expected.hpp>

#include "cli/doctor/closed_node.hpp"
#include "cli/doctor/node_facts.hpp"
#include "cli/doctor/node_findings.hpp"

namespace tenure::cli {

// As much of the facts as closed_node() needs; without what the user may not ask. Changes nothing, and begins no quarantine.
tl::expected<NodeFacts, core::Failure> look_at_record(redis::Caller& redis, const redis::Address& address,
                                                      const redis::Keyspace& keyspace);

// Nothing when it gives leases. Pure: asks nothing.
std::optional<ClosedNode> closed_node(const NodeFacts& node, const Criteria& criteria);

}  // namespace tenure::cli
