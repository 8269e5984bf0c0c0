// Which nodes are meant, and which cap they have: the flags, then the environment, then the default.
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

// One Redis, or several of which a quorum decides.
struct Nodes {
  std::vector<redis::Address> addresses{};
  redis::Keyspace keyspace{};

  bool several() const { return addresses.size() > 1; }
  std::size_t quorum() const { return core::quorum_of(addresses.size()); }
};

// The error is a sentence without secrets.
tl::expected<Nodes, std::string> choose_nodes(const NodeArgs& args);

// An even number works, and is no better than one node less: a sentence about it, or nothing.
std::optional<std::string> warning_of_even(const Nodes& nodes);

// "--redis URL --prefix TEXT …": what names these nodes on a command line, without secrets.
std::string as_options(const Nodes& nodes);

}  // namespace tenure::cli
