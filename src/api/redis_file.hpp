// A file that names the nodes, so that their passwords stand neither on a command line nor in an environment.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "redis/url.hpp"

namespace tenure::detail {

struct RedisFile {
  std::vector<redis::Address> addresses{};
  std::vector<std::string> postgres{};  // URLs of PostgreSQL, as they are
  std::vector<std::string> http{};      // of Kubernetes or Consul, likewise
  // Others than its owner can read or change it.
  bool exposed = false;
};

// One URL on each line; blank lines and those that begin with # do not count. The error names the file and
// the line, and shows nothing of what it holds.
tl::expected<RedisFile, std::string> read_redis_file(const std::string& path);

}  // namespace tenure::detail
