// Judges the nodes together: are they servers of their own, do their clocks agree, is their number sensible?
// Pure: asks nothing.
#pragma once

#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/doctor/node_facts.hpp"
#include "core/message.hpp"

namespace tenure::cli {

std::vector<Finding> findings_of_all(const std::vector<NodeFacts>& nodes, core::Ttl cap);

}  // namespace tenure::cli
