// tenure reconfigure, on PostgreSQL.
#include <optional>
#include <utility>
#include <vector>

#include "cli/message.hpp"
#include "cli/nodes/reconfigure_nodes.hpp"
#include "cli/nodes/seen_node.hpp"
#include "cli/postgresql/postgresql.hpp"
#include "cli/postgresql/postgresql_nodes.hpp"
#include "cli/postgresql/seen_postgresql.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

class ReconfigurePostgresql : public ReconfigureNodes {
 public:
  // First those that shall decide, then those that leave.
  ReconfigurePostgresql(About about, postgres::Nodes all)
      : ReconfigureNodes(std::move(about)), all_(std::move(all)), seen_(all_.addresses.size()) {}

  tl::expected<core::FoundRecord, Failure> see(std::size_t node) override {
    auto seen = see_postgresql(all_.addresses[node], all_.keyspace);
    if (!seen) return tl::unexpected(std::move(seen.error()));
    seen_[node] = std::move(*seen);
    return seen_[node]->record;
  }

  Taken take(const core::Reconfiguration::Step& step) override {
    SeenPostgresql& seen = *seen_[step.node];
    if (auto made = make_schema_of(seen, all_.addresses[step.node]); !made) {
      return tl::unexpected(std::move(made.error()));
    }
    const auto rows = seen.server.call(postgres::reconfigure_call(
        {runtime::random_from_kernel().hex16(), runtime::wall_now_ms()}, step, all_.keyspace));
    if (!rows) return tl::unexpected(rows.error());
    if (rows->size() != 1 || rows->front().size() != 2) return tl::unexpected(core::misfit);
    const postgres::Row& row = rows->front();
    if (row[0] != "t") return std::nullopt;
    return postgres::found_record(row[1].value_or(""));
  }

  tl::expected<bool, Failure> open(std::size_t node, const core::Record& record) override {
    const core::Request request = core::OpenRequest{record.epoch, record.made_ms};
    auto server = postgres::Caller::connect(all_.addresses[node], change_timeout);
    if (!server) return tl::unexpected(std::move(server.error()));
    const auto rows = server->call(postgres::call_of(request, all_.keyspace, {}));
    if (!rows) return tl::unexpected(rows.error());
    return std::holds_alternative<core::Opened>(postgres::reply_of(request, *rows));
  }

 private:
  postgres::Nodes all_;
  std::vector<std::optional<SeenPostgresql>> seen_;
};

// The name that somebody chose for the nodes; empty: their addresses are it.
std::string chosen_set(const postgres::Nodes& nodes) {
  const std::string& set = nodes.keyspace.set;
  return set == postgres::node_set(nodes.addresses, "") ? "" : set.substr(set.find('-') + 1);
}

// The error says what is wrong with them.
std::optional<std::string> add_leaving(const std::vector<std::string>& leaving, postgres::Nodes& nodes) {
  std::vector<std::string> urls;
  for (const auto& address : nodes.addresses) urls.push_back(address.url);
  urls.insert(urls.end(), leaving.begin(), leaving.end());
  auto all = postgres::parse_addresses(urls);
  if (!all) return std::move(all.error());
  nodes.addresses = std::move(*all);
  return std::nullopt;
}

}  // namespace

int postgresql_reconfigure(const ReconfigureArgs& args) {
  auto nodes = choose_postgresql(args.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  ReconfigureNodes::About about{{},
                                nodes->addresses.size(),
                                nodes->keyspace.terms(),
                                chosen_set(*nodes),
                                "the row " + nodes->keyspace.prefix + " of its table tenure.record"};
  if (const auto error = add_leaving(args.leaving, *nodes)) {
    return fail(ExitCode::usage, "--leaving: " + *error);
  }
  about.names = nodes->names();
  ReconfigurePostgresql postgresql(std::move(about), std::move(*nodes));
  return reconfigure_all(args, postgresql);
}

}  // namespace tenure::cli
