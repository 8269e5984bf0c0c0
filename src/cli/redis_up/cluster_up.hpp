// tenure redis up --cluster: starts what is missing of a Redis Cluster, and waits until a failover would succeed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "redis/script_call.hpp"

namespace tenure::cli {

struct ClusterWish {
  std::filesystem::path root;  // nobody else starts or stops servers there meanwhile
  std::uint16_t port = 0;
  redis::Keyspace keyspace{};
  std::string set_name{};
};

// Gives the exit code.
int cluster_up(ClusterWish wish);

}  // namespace tenure::cli
