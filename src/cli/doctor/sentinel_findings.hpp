// Judges what the Sentinels of a group say, and what a failover would cost. Pure: asks nothing.
#pragma once

#include <optional>
#include <vector>

#include "cli/doctor/diagnosis.hpp"
#include "cli/doctor/finding.hpp"
#include "cli/doctor/node_facts.hpp"
#include "core/base/time.hpp"

namespace tenure::cli {

// What is shown of the group that this address names.
SentinelsShown sentinels_shown(const NodeFacts& node, core::Ttl cap);

// Finding::node is left open.
std::vector<Finding> sentinel_findings(const SentinelsShown& group);

}  // namespace tenure::cli
