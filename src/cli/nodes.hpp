// Which Redis is meant, and which cap it has: the flags, then the environment, then the default.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/time.hpp"
#include "redis/script_call.hpp"
#include "redis/url.hpp"

namespace tenure::cli {

// As given on the command line.
struct NodeArgs {
  std::vector<std::string> redis{};         // else TENURE_REDIS, else REDIS_URL, else this machine
  std::optional<core::Duration> ttl_max{};  // else TENURE_TTL_MAX, else 60s
  std::string prefix = "tenure:";
};

// One for now; several will make a quorum.
struct Node {
  redis::Address address;
  redis::Keyspace keyspace;
};

// The error is a sentence without secrets.
tl::expected<Node, std::string> choose_node(const NodeArgs& args);

}  // namespace tenure::cli
