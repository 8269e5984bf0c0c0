// tenure reconfigure: changes which nodes decide together, or the longest TTL, of nodes that are in use. Gives the exit
// code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int reconfigure(const ReconfigureArgs& args);

}  // namespace tenure::cli
