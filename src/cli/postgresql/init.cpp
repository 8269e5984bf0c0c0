#include <cstdio>
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
#include "postgres/schema.hpp"
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
    if (auto made = make_schema_of(*seen_[node], nodes_.addresses[node]); !made) {
      return tl::unexpected(std::move(made.error()));
    }
    const auto rows = seen_[node]->server.call(postgres::init_call(
        {runtime::random_from_kernel().hex16(), runtime::wall_now_ms()}, nodes_.keyspace));
    if (!rows) return tl::unexpected(rows.error());
    if (rows->size() != 1 || rows->front().size() != 2) return tl::unexpected(core::misfit);
    const postgres::Row& row = rows->front();
    return Made{row[0] == "t", postgres::found_record(row[1].value_or(""))};
  }

  std::string wait_text(std::size_t node) override {
    const auto closed = closed_record(seen_[node]->server, names()[node], seen_[node]->record, nodes_);
    return closed && closed->left_max ? text_of_wait(closed->code, closed->what, *closed->left_max) : "";
  }

 private:
  PostgresqlNodes nodes_;
  std::vector<std::optional<SeenPostgresql>> seen_;
};

// What became of a schema that is of an earlier version.
enum class Upgraded : std::uint8_t {
  no,  // it is not, or it does not answer: why is told by whoever makes the record
  yes,
  yes_with_record,  // and leases can be given there
};

tl::expected<Upgraded, Failure> upgrade(const postgres::Address& address,
                                        const postgres::Keyspace& keyspace) {
  auto server = postgres::Caller::connect(address, change_timeout);
  if (!server) return Upgraded::no;
  const auto schema = postgres::find_schema(*server);
  if (!schema || !schema->upgradable()) return Upgraded::no;
  if (const auto made = postgres::make_schema(address, *schema, change_timeout); !made) {
    return tl::unexpected(made.error());
  }
  const auto now = postgres::find_schema(*server);
  if (!now) return tl::unexpected(now.error());
  if (auto why = unfit(*now)) {
    return tl::unexpected(Failure{core::Applied::no, core::FailureCode::not_set_up, std::move(*why)});
  }
  std::printf("%s: its schema tenure, of version %d, is of version %d now\n", address.name.c_str(),
              schema->version, postgres::schema_version);
  const auto record = ask_record(*server, keyspace);
  if (!record) return tl::unexpected(record.error());
  return record->absent() ? Upgraded::yes : Upgraded::yes_with_record;
}

// Gives an exit code where there is nothing left to do: some cannot be upgraded, or all were, and have their records.
std::optional<int> upgrade_all(const PostgresqlNodes& nodes) {
  std::size_t complete = 0;
  bool failed = false;
  for (const postgres::Address& address : nodes.addresses) {
    const auto done = upgrade(address, nodes.keyspace);
    if (!done) say(address.name + ": " + done.error().detail);
    failed = failed || !done;
    complete += done && *done == Upgraded::yes_with_record ? 1 : 0;
  }
  if (failed) return number(ExitCode::no_quorum);
  if (complete < nodes.addresses.size()) return std::nullopt;
  return finish_output();
}

}  // namespace

int postgresql_init(const InitArgs& args) {
  if (args.print_sql) return print_schema();
  auto nodes = choose_postgresql(args.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  if (const auto code = upgrade_all(*nodes)) return *code;
  InitPostgresql postgresql(std::move(*nodes));
  return init_all(postgresql);
}

}  // namespace tenure::cli
