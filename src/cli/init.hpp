// tenure init: makes the record of a Redis that is new to Tenure. Gives the exit code.
#pragma once

#include "cli/args.hpp"

namespace tenure::cli {

int init(const InitArgs& args);

}  // namespace tenure::cli
