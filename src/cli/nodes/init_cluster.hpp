// tenure init on a Redis Cluster: makes the records of all its slots, or of none.
#pragma once

#include <functional>
#include <string>

#include "redis/text/nodes.hpp"

namespace tenure::cli {

// Of nodes that are one Cluster. Gives the exit code; what was made goes to report.
int init_cluster(const redis::Nodes& nodes, const std::function<void(const std::string& line)>& report);

}  // namespace tenure::cli
