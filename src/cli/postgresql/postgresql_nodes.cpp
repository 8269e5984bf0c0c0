#include "cli/postgresql/postgresql_nodes.hpp"

#include <utility>

#include "cli/nodes/chosen_store.hpp"

namespace tenure::cli {

tl::expected<PostgresqlNodes, std::string> postgresql_nodes(const ClientOptions& options) {
  auto nodes = postgres::nodes_of(options);
  if (!nodes) return tl::unexpected(std::move(nodes.error()));
  return PostgresqlNodes{std::move(*nodes), how_to_init(options)};
}

tl::expected<PostgresqlNodes, std::string> choose_postgresql(const NodeArgs& args) {
  auto named = named_nodes(args);
  if (!named) return tl::unexpected(std::move(named.error()));
  if (named->postgres.empty()) {
    return tl::unexpected(
        std::string("tenure-fleet is the part of tenure for sessions, polls and PostgreSQL; "
                    "start tenure instead"));
  }
  const auto options = postgresql_options(args, std::move(*named));
  if (!options) return tl::unexpected(options.error());
  return postgresql_nodes(*options);
}

}  // namespace tenure::cli
