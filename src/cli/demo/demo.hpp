// tenure demo: a private Redis, three instances, nine sessions and a server that they poll; one instance is killed and
// comes back. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int demo(const DemoArgs& args);

}  // namespace tenure::cli
