// tenure elect: takes part in an election, or observes it.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

// The exit code of the program.
int elect(const ElectArgs& args);

}  // namespace tenure::cli
