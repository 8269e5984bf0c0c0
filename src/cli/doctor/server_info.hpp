// What INFO says, as fields by their names.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "core/message.hpp"
#include "redis/net/caller.hpp"

namespace tenure::cli {

class ServerInfo {
 public:
  ServerInfo() = default;
  explicit ServerInfo(std::string text) : text_(std::move(text)) {}

  // Empty where there is no such field.
  std::string_view field(std::string_view name) const;
  bool is_cluster() const { return field("cluster_enabled") == "1" || field("redis_mode") == "cluster"; }
  bool is_replica() const { return field("role") == "slave"; }
  int version_major() const;
  // "Redis 7.0.15", "Valkey 8.1.0".
  std::string product() const;
  // Which life of the server this is, as a record shows it: "<run id>-<replication id>".
  std::string life() const;

 private:
  std::string text_;
};

// One call for each section: before version 7 Redis takes no more.
tl::expected<ServerInfo, core::Failure> ask_info(redis::Caller& redis,
                                                 std::initializer_list<const char*> sections);

}  // namespace tenure::cli
