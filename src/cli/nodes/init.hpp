// tenure init: makes the record of a Redis that is new to Tenure. Gives the exit code.
#pragma once

#include <functional>
#include <string>

#include "cli/args/args.hpp"
#include "cli/nodes/nodes.hpp"

namespace tenure::cli {

int init(const InitArgs& args);

// The same for nodes that are known already; each line about what was made goes to report.
int init(Nodes nodes, std::function<void(const std::string& line)> report);

}  // namespace tenure::cli
