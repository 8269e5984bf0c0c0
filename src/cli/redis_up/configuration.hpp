// What the configuration files of local servers say when they are written for the first time.
#pragma once

#include <string>

#include "cli/redis_up/server_process.hpp"

namespace tenure::cli {

// Of a Redis that is independent of all others.
std::string redis_conf(const ServerProcess& server);

}  // namespace tenure::cli
