// Judges what one node said of itself. Pure: asks nothing, and reads no clock.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/doctor/node_facts.hpp"
#include "cli/doctor/rights.hpp"
#include "cli/doctor/server_check.hpp"
#include "core/base/time.hpp"
#include "core/lease/record.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::cli {

struct Criteria {
  UsedKeys keys{};
  core::Duration node_timeout{};  // a node silent for longer has not answered
  std::int64_t wall_now_ms = 0;
  runtime::TlsOptions tls_options{};  // for the commands that are advised
  PartOf part = PartOf::nothing;      // of a Cluster the records are judged with its slots
};

// Of a node that is up; Finding::node is left open.
std::vector<Finding> findings_of(const NodeFacts& node, const Criteria& criteria);

// Of one that is not.
Finding down_finding(const NodeFacts& node);

inline constexpr std::string_view record_absent = "record_absent";
// It gives leases, but not to whoever names another cap or another set of nodes.
inline constexpr std::string_view other_cap = "cap";
inline constexpr std::string_view other_set = "set";
inline constexpr std::string_view quarantined = "quarantined";

// Which life of the server a record of Redis was written in, as ServerInfo::life() says it. Not of an empty text.
std::string_view life_in(std::string_view record);

// If a quarantine begins now: what it waits for is the longest lease that may be out.
core::Ttl longest_lease(const core::Record& record);

// The part about its record: does it give leases to us now? Nothing when it does.
std::optional<Finding> record_finding(const NodeFacts& node, const Criteria& criteria);

// Of one that would: can tokens be taken from its counter?
std::optional<Finding> fence_finding(const NodeFacts& node, const Criteria& criteria);

// On this machine: nothing that is sent there passes a network.
bool is_local(const redis::Address& address);

}  // namespace tenure::cli
