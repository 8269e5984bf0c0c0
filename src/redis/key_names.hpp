// Which prefixes and names of fleets are accepted, so that the keys of one are never those of another.
#pragma once

#include <optional>
#include <string>

#include "redis/script_call.hpp"

namespace tenure::redis {

// Why this cannot be the prefix of a Keyspace, or nothing when it can: besides what no name may be, one under which a key
// could be the same as a key under the usual prefix. Two prefixes of which one begins with the other are not noticed.
std::optional<std::string> prefix_error(const std::string& prefix);

// The same of a Redis Cluster, where what stands in braces decides in which slot a key is: the records of the slots have braces of
// their own behind the prefix, so that it can have none.
std::optional<std::string> cluster_prefix_error(const std::string& prefix);

// Why this cannot be the name of a fleet: besides what no name may be, one whose keys could be those of locks, of the usual
// fleet, or Tenure's own.
std::optional<std::string> fleet_error(const std::string& name, const Keyspace& keyspace);

}  // namespace tenure::redis
