#include "cli/doctor/server_check.hpp"

#include "core/base/text.hpp"
#include "redis/failure.hpp"

namespace tenure::cli {

std::optional<std::string> unfit(const ServerInfo& info, PartOf part) {
  const auto version = info.field("redis_version");
  if (version.empty()) return "INFO says no version: is this a Redis?";
  if (info.version_major() < version_min) {
    return "this is Redis " + core::printable(version, 20) + "; Tenure needs 7.0 or later";
  }
  // One script touches several keys, and they have no common slot (T30).
  if (info.is_cluster() && part == PartOf::nothing) {
    return "this is a node of a Redis Cluster: name the Cluster, by redis-cluster://host:port,...";
  }
  if (info.is_replica()) return "this is a read-only replica; name its master";
  for (const char* field : {"run_id", "master_replid"}) {
    if (info.field(field).empty()) return redis::no_life_text(field);
  }
  return std::nullopt;
}

}  // namespace tenure::cli
