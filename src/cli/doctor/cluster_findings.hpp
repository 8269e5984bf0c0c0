// Judges what the servers of a Redis Cluster said. Pure: asks nothing, and reads no clock.
#pragma once

#include <vector>

#include "cli/doctor/cluster_facts.hpp"
#include "cli/doctor/diagnosis.hpp"
#include "cli/doctor/finding.hpp"
#include "cli/doctor/node_findings.hpp"

namespace tenure::cli {

ClusterShown cluster_shown(const ClusterFacts& facts);

// An error means that the Cluster is not fit for leases; what keeps some of its slots from giving leases is a warning. How to make the
// records stands behind "if it is new".
std::vector<Finding> cluster_findings(const ClusterFacts& facts, const Criteria& criteria,
                                      const std::string& how_to_init);

}  // namespace tenure::cli
