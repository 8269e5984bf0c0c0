// Which nodes are meant, and which cap they have: the flags, then the environment, then the default.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "api/environment.hpp"
#include "core/base/time.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::cli {

// As given on the command line.
struct NodeArgs {
  std::vector<std::string> redis{};         // --redis or --store; else the file
  std::string redis_option = "--redis";     // which of the two it was
  std::string redis_file{};                 // else the environment (api/environment.hpp), else this machine
  std::optional<core::Duration> ttl_max{};  // else TENURE_TTL_MAX, else 60s
  std::string prefix = "tenure:";
  std::string node_set{};     // else TENURE_NODE_SET, else made from the addresses
  runtime::TlsOptions tls{};  // each else TENURE_TLS_CA, _CERT, _KEY, _NAME

  bool operator==(const NodeArgs&) const = default;
};

using redis::Nodes;

// Prefix and cap alone, for nodes that are known. The error is a sentence.
tl::expected<redis::Keyspace, std::string> choose_keyspace(const NodeArgs& args);

// By what name everybody knows the nodes; empty: by their addresses. The error is a sentence.
tl::expected<std::string, std::string> choose_set_name(const NodeArgs& args);

// Those that are named, of Redis or of PostgreSQL. The error is a sentence without secrets. A file is read, and may be a pipe.
tl::expected<detail::NamedNodes, std::string> named_nodes(const NodeArgs& args);

// Why the PostgreSQL that is named there cannot be asked by this program. Tenure becomes the other one before it comes to this, where it
// can read what is named once more.
std::string not_of_redis(const detail::NamedNodes& named, const NodeArgs& args);

// Of Redis alone. The error is a sentence without secrets. Says a warning when a file with passwords is open to others. Another Redis
// beside them may be the one that asks for TLS.
tl::expected<Nodes, std::string> choose_nodes(const NodeArgs& args, const redis::Address* beside = nullptr);
// The same of what was read before.
tl::expected<Nodes, std::string> choose_nodes(const NodeArgs& args, detail::NamedNodes named,
                                              const redis::Address* beside = nullptr);

}  // namespace tenure::cli
