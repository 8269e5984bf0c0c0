// Shows nodes of PostgreSQL, and the leases there.
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/lock/lock_answers.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "cli/postgresql/diagnose.hpp"
#include "cli/postgresql/lock_rows.hpp"
#include "cli/postgresql/postgresql_nodes.hpp"
#include "cli/postgresql/server_facts.hpp"
#include "cli/postgresql/server_findings.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using ClosedAnswer = NodesClosed::value_type;

// By the worst that there is to say of it.
ClosedAnswer closed_node(const PostgresqlFacts& facts, const std::string& name,
                         const PostgresqlCriteria& criteria) {
  if (facts.down) return tl::unexpected(*facts.down);
  auto findings = findings_of(facts, criteria);
  const auto found = std::ranges::find(findings, Severity::error, &Finding::severity);
  if (found == findings.end()) return std::nullopt;
  const auto record = facts.record ? *facts.record : core::FoundRecord{};
  return closed_by(name, std::move(*found), record, {criteria.nodes.keyspace.terms(), criteria.wall_now_ms});
}

class PostgresqlInspector : public NodeInspector {
 public:
  explicit PostgresqlInspector(PostgresqlNodes nodes)
      : NodeInspector({nodes.names(), nodes.keyspace.terms(), nodes.keyspace.root(), nodes.how_to_init}),
        nodes_(std::move(nodes)) {}

  // Rights are those on tables, whatever the leases are called.
  Diagnosis diagnose(const std::string& /*lock_prefix*/, core::Duration node_timeout) const override {
    return cli::diagnose(nodes_, node_timeout);
  }
  AllLeases all_leases(const std::string& lock_prefix, ShowSessions sessions) const override {
    return leases_of_all(rows_under(nodes_, root()), root(), lock_prefix, sessions);
  }
  Looked leases_under(const std::string& key_prefix) const override {
    return cli::leases_under(rows_under(nodes_, key_prefix), key_prefix);
  }

  LeasesLooked leases(const std::string& key_prefix, const std::vector<std::string>& names) const override {
    std::vector<std::string> keys;
    keys.reserve(names.size());
    for (const auto& name : names) keys.push_back(key_prefix + name);
    const KeysShown shown = rows_of(nodes_, keys);
    LeasesLooked looked{{}, runtime::failures_in(shown)};
    looked.leases.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      looked.leases.push_back(view_of(names[i], shown_for(shown, keys[i])));
    }
    return looked;
  }

  Looked lease(const std::string& key_prefix, const std::string& name) const override {
    const std::string key = key_prefix + name;
    const KeysShown shown = rows_of(nodes_, {key});
    Looked looked{{}, runtime::failures_in(shown)};
    looked.locks.push_back(view_of(name, shown_for(shown, key)));
    return looked;
  }

  Looked leases_of(const LeaseTarget& target, const std::string& name) const override {
    const std::vector<std::string> keys{root() + target.lock_prefix + name, root() + name,
                                        root() + target.fleet + ":lease:" + name};
    return leases_of_name(rows_of(nodes_, keys), keys, root(), target.lock_prefix);
  }

 private:
  NodesClosed look_at_records(core::Duration patience) const override {
    std::vector<PostgresqlFacts> facts(nodes_.addresses.size());
    runtime::at_once(facts.size(), [&](std::size_t i) {
      facts[i] = look_at_record(nodes_.addresses[i], nodes_.keyspace, patience);
    });
    const PostgresqlCriteria criteria{nodes_, {}, runtime::wall_now_ms()};
    NodesClosed closed;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      closed.push_back(closed_node(facts[i], names()[i], criteria));
    }
    return closed;
  }

  PostgresqlNodes nodes_;
};

}  // namespace

}  // namespace tenure::cli

void tenure_inspect_postgresql(
    const tenure::ClientOptions& options,
    tl::expected<std::shared_ptr<const tenure::cli::NodeInspector>, std::string>& inspector) {
  inspector = tenure::cli::postgresql_nodes(options).map(
      [](tenure::cli::PostgresqlNodes&& nodes) -> std::shared_ptr<const tenure::cli::NodeInspector> {
        return std::make_shared<const tenure::cli::PostgresqlInspector>(std::move(nodes));
      });
}
