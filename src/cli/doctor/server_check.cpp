#include "cli/doctor/server_check.hpp"

#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

constexpr int version_min = 7;

}  // namespace

std::optional<std::string> unfit(const ServerInfo& info) {
  const auto version = info.field("redis_version");
  if (version.empty()) return "INFO says no version: is this a Redis?";
  if (info.version_major() < version_min) {
    return "this is Redis " + core::printable(version, 20) + "; Tenure needs 7.0 or later";
  }
  // One script touches several keys, and they have no common slot (T30).
  if (info.is_cluster()) return "this is a Redis Cluster, which does not work yet";
  if (info.is_replica()) return "this is a read-only replica; name its master";
  return std::nullopt;
}

std::optional<core::Failure> unfit(redis::Caller& redis) {
  const auto info = ask_info(redis, {"server", "replication", "cluster"});
  if (!info) return info.error();
  auto why = unfit(*info);
  if (!why) return std::nullopt;
  return core::Failure{core::Applied::no, core::FailureCode::server, std::move(*why)};
}

}  // namespace tenure::cli
