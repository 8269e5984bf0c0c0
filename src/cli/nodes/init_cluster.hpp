// tenure init on a Redis Cluster: makes the records of all its slots, or of none.
#pragma once

#include "redis/text/nodes.hpp"

namespace tenure::cli {

// Of nodes that are one Cluster. Gives the exit code; what was made goes to stdout.
int init_cluster(const redis::Nodes& nodes);

}  // namespace tenure::cli
