// The records of all slots of a private Cluster, as `tenure init` makes them.
#pragma once

#include <string>

#include "support/nodes.hpp"
#include "support/redis_cluster.hpp"

namespace tenure::test {

// Every slot is open to clients of that cap and set. The Cluster is new to Tenure.
void init(RedisCluster& cluster, core::Ttl cap = cap_default, const std::string& set = "1");

}  // namespace tenure::test
