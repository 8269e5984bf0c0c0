// Looks at nodes of Redis, and judges them.
#pragma once

#include <string>

#include "cli/doctor/diagnosis.hpp"
#include "cli/nodes/nodes.hpp"

namespace tenure::cli {

// Blocks for as long as the slowest node needs. One that does not answer costs the others nothing.
Diagnosis diagnose(const Nodes& nodes, const std::string& lock_prefix, core::Duration node_timeout);

}  // namespace tenure::cli
