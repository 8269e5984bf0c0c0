// What the configuration files of local servers say when they are written for the first time.
#pragma once

#include <cstdint>
#include <string>

#include "cli/redis_up/server_process.hpp"

namespace tenure::cli {

// Of a Redis that is independent of all others.
std::string redis_conf(const ServerProcess& server);

// Of a Redis that Sentinels watch. Whose replica it is does not stand there: it is said at each start.
std::string watched_redis_conf(const ServerProcess& server);

// Of a node of a Cluster, which hears the others on the port `bus`. Which they are, and who has which slots, it keeps elsewhere.
std::string cluster_conf(const ServerProcess& server, std::uint16_t bus);

// Of a Sentinel that watches the master on that port of 127.0.0.1.
std::string sentinel_conf(const ServerProcess& sentinel, const std::string& name, std::uint16_t master,
                          int quorum);

}  // namespace tenure::cli
