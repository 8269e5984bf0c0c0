// Which nodes give no new leases now, and for how long: for whoever shows something else, and should say so, too.
#pragma once

#include <optional>
#include <string>

#include "cli/doctor/node_facts.hpp"
#include "cli/doctor/node_findings.hpp"

namespace tenure::cli {

// A node that gives no new leases to us now.
struct ClosedNode {
  std::string node;  // its address
  std::string code;  // of the finding, as tenure doctor has it
  std::string what;
  std::string why;
  std::string advice;
  std::optional<core::Ttl> left{};  // of a quarantine that lasts, if a client has been waiting since it began
  std::optional<core::Ttl> left_max{};  // of any quarantine, once a client waits
};

// As much of the facts as closed_node() needs. Changes nothing, and begins no quarantine.
tl::expected<NodeFacts, core::Failure> look_at_record(redis::Caller& redis, const redis::Address& address,
                                                      const redis::Keyspace& keyspace);

// Nothing when it gives leases. Pure: asks nothing.
std::optional<ClosedNode> closed_node(const NodeFacts& node, const Criteria& criteria);

}  // namespace tenure::cli
