// Does a Redis Cluster give leases now? Found out from some slots of each master, for probes that ask every few seconds.
#pragma once

#include <optional>

#include "cli/doctor/closed_node.hpp"
#include "cli/doctor/node_findings.hpp"
#include "redis/text/nodes.hpp"

namespace tenure::cli {

// Nothing when most slots do, as far as those say that were looked at. Changes nothing, and begins no quarantine.
tl::expected<std::optional<ClosedNode>, core::Failure> look_at_some_slots(const redis::Nodes& cluster,
                                                                          const Criteria& criteria,
                                                                          core::Duration patience);

}  // namespace tenure::cli
