#include "cli/postgresql/diagnose.hpp"

#include "cli/doctor/node_facts.hpp"
#include "cli/doctor/set_findings.hpp"
#include "cli/postgresql/seen_postgresql.hpp"
#include "cli/postgresql/server_facts.hpp"
#include "cli/postgresql/server_findings.hpp"
#include "core/base/text.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

NodeShown shown(const postgres::Address& address, const PostgresqlFacts& facts) {
  NodeShown node{.name = address.name, .place = address.name, .down = facts.down};
  PostgresqlShown& more = node.postgresql.emplace();
  if (facts.down) return node;
  if (facts.settings) {
    node.version = "PostgreSQL " + core::printable(facts.settings->version, 40);
    node.role = facts.settings->standby ? "standby" : "primary";
    if (facts.direct.value_or(false)) more.tls = facts.settings->tls;
  }
  if (facts.direct) more.pooled = !*facts.direct;
  if (facts.schema) more.schema = facts.schema->version;
  node.round_trip = facts.round_trip;
  node.clock_ahead = facts.clock_ahead;
  // Without the schema there is no record either.
  const bool looked = facts.schema && !unfit(*facts.schema);
  if (looked && facts.record) node.record = *facts.record;
  return node;
}

std::optional<NodeInSet> in_set(const NodeShown& node, const PostgresqlFacts& facts) {
  if (node.down) return std::nullopt;
  return NodeInSet{node.name, facts.settings ? facts.settings->identifier : "", node.clock_ahead};
}

}  // namespace

Diagnosis diagnose(const PostgresqlNodes& nodes, core::Duration node_timeout) {
  std::vector<PostgresqlFacts> all(nodes.addresses.size());
  runtime::at_once(all.size(), [&](std::size_t i) {
    all[i] = look_at(nodes.addresses[i], nodes.keyspace, doctor_patience);
  });
  Diagnosis result{.kind = "PostgreSQL", .how_to_init = nodes.how_to_init};
  std::vector<std::optional<NodeInSet>> set;
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.nodes.push_back(shown(nodes.addresses[i], all[i]));
    set.push_back(in_set(result.nodes.back(), all[i]));
  }
  result.findings = findings_of_all(set, nodes.keyspace.cap);
  const PostgresqlCriteria criteria{nodes, node_timeout, runtime::wall_now_ms()};
  for (std::size_t i = 0; i < all.size(); ++i) result.add(i, findings_of(all[i], criteria));
  result.conclude();
  return result;
}

}  // namespace tenure::cli
