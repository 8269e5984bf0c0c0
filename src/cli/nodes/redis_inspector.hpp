// Shows nodes of Redis, and the leases there.
#pragma once

#include <memory>

#include "cli/nodes/node_inspector.hpp"
#include "cli/nodes/nodes.hpp"

namespace tenure::cli {

std::shared_ptr<const NodeInspector> inspector_of(Nodes nodes);

}  // namespace tenure::cli
