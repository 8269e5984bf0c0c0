// tenure status: a fleet at one moment, or again every second. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int status(const StatusArgs& args);

}  // namespace tenure::cli
