// tenure redis up --cluster: starts what is missing of a Redis Cluster, and waits until a failover would succeed.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tenure::cli {

struct ClusterWish {
  std::filesystem::path root;  // nobody else starts or stops servers there meanwhile
  std::uint16_t port = 0;
};

// Gives the exit code.
int cluster_up(const ClusterWish& wish);

}  // namespace tenure::cli
