// tenure redis up and down: private, independent Redis servers on this machine. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int redis_up(const RedisUpArgs& args);
int redis_down(const RedisDownArgs& args);

}  // namespace tenure::cli
