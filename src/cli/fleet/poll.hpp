// tenure poll: one instance of a fleet that polls sessions, until a signal ends it. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int poll(const PollArgs& args);

}  // namespace tenure::cli
