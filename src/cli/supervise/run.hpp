// tenure run: a command under a lease. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int run(const RunArgs& args);

}  // namespace tenure::cli
