// Which PostgreSQL a command was told to use.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "cli/nodes/nodes.hpp"
#include "core/nodes.hpp"
#include "postgres/net/postgres_store.hpp"
#include "tenure/options.hpp"

namespace tenure::cli {

struct PostgresqlNodes : postgres::Nodes {
  std::string
      how_to_init{};  // ": tenure init --store URL …", to be read behind "if it is new"; without secrets

  std::size_t quorum() const { return core::quorum_of(addresses.size()); }
};

// Those that the options of a client name. The error is a sentence without secrets.
tl::expected<PostgresqlNodes, std::string> postgresql_nodes(const ClientOptions& options);

// The error is a sentence without secrets.
tl::expected<PostgresqlNodes, std::string> choose_postgresql(const NodeArgs& args);

}  // namespace tenure::cli
