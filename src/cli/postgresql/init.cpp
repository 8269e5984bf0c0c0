#include <optional>
#include <utility>
#include <vector>

#include "cli/message.hpp"
#include "cli/nodes/init_nodes.hpp"
#include "cli/nodes/print_schema.hpp"
#include "cli/nodes/seen_node.hpp"
#include "cli/postgresql/postgresql.hpp"
#include "cli/postgresql/postgresql_nodes.hpp"
#include "cli/postgresql/record_state.hpp"
#include "cli/postgresql/seen_postgresql.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

class InitPostgresql : public InitNodes {
 public:
  explicit InitPostgresql(PostgresqlNodes nodes)
      : InitNodes(nodes.names(), nodes.keyspace.terms(), "PostgreSQL"),
        nodes_(std::move(nodes)),
        seen_(nodes_.addresses.size()) {}

  tl::expected<core::FoundRecord, Failure> see(std::size_t node) override {
    auto seen = see_postgresql(nodes_.addresses[node], nodes_.keyspace);
    if (!seen) return tl::unexpected(std::move(seen.error()));
    seen_[node] = std::move(*seen);
    return seen_[node]->record;
  }

  tl::expected<Made, Failure> make(std::size_t node) override {
    if (auto failed = make_schema(node)) return tl::unexpected(std::move(*failed));
    const auto rows = seen_[node]->server.call(postgres::init_call(
        {runtime::random_from_kernel().hex16(), runtime::wall_now_ms()}, nodes_.keyspace));
    if (!rows) return tl::unexpected(rows.error());
    if (rows->size() != 1 || rows->front().size() != 2) return tl::unexpected(core::misfit);
    const postgres::Row& row = rows->front();
    return Made{row[0] == "t", postgres::found_record(row[1].value_or(""))};
  }

  std::string wait_text(std::size_t node) override {
    const auto closed =
        closed_record(seen_[node]->server, seen_[node]->record, nodes_, runtime::wall_now_ms());
    return closed ? text_of_wait(closed->finding.code, closed->finding.what, closed->left_max) : "";
  }

 private:
  // Somebody else may make it at the same time: then theirs is as good.
  std::optional<Failure> make_schema(std::size_t node) {
    SeenPostgresql& seen = *seen_[node];
    if (seen.schema.ours()) return std::nullopt;
    const auto made = postgres::make_schema(nodes_.addresses[node], change_timeout);
    if (!made) return made.error();
    const auto found = postgres::find_schema(seen.server);
    if (!found) return found.error();
    if (found->ours()) return std::nullopt;
    return Failure{core::Applied::no, core::FailureCode::not_set_up,
                   unfit(*found).value_or("somebody else makes or drops the schema tenure: try again")};
  }

  PostgresqlNodes nodes_;
  std::vector<std::optional<SeenPostgresql>> seen_;
};

}  // namespace

int postgresql_init(const InitArgs& args) {
  if (args.print_sql) return print_schema();
  auto nodes = choose_postgresql(args.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  InitPostgresql postgresql(std::move(*nodes));
  return init_all(postgresql);
}

}  // namespace tenure::cli
