#include "cli/postgresql/server_findings.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cli/postgresql/record_state.hpp"
#include "cli/postgresql/seen_postgresql.hpp"
#include "core/base/text.hpp"
#include "postgres/grants.hpp"

namespace tenure::cli {

namespace {

using core::FailureCode;
using postgres::FoundSchema;
using std::chrono::milliseconds;

using Findings = std::vector<Finding>;

// Less is as good as the same time, between machines.
constexpr core::Duration clocks_agree = milliseconds(100);
// The time of 2001 in microseconds: a counter below it was lost, as tenure.mint() sees it.
constexpr std::int64_t token_min = 1'000'000'000'000'000;

void add(Findings& all, Severity severity, std::string code, std::string what, std::string why,
         std::string advice) {
  all.push_back({severity, std::move(code), {}, std::move(what), std::move(why), std::move(advice)});
}

std::string advice_on_down(FailureCode code) {
  switch (code) {
    case FailureCode::unreachable:
      return "start that PostgreSQL, or correct host and port; a firewall may be in the way, too";
    case FailureCode::timed_out:
      return "see whether it hangs (its log) or a firewall drops what is sent to it";
    case FailureCode::auth:
      return "give a user, a password and a database that it knows, as in "
             "postgresql://user:password@host/database, or in a --redis-file; its pg_hba.conf says who may "
             "connect";
    case FailureCode::tls:
      return "use a sslmode that fits: verify-full with sslrootcert=FILE where it speaks TLS";
    case FailureCode::starting:
      return "wait until it has started";
    case FailureCode::full:
      return "raise its max_connections, or put a pooler in between";
    case FailureCode::unsupported:
      return "use PostgreSQL 14 or later";
    default:
      return "look at its log";
  }
}

Finding down(const core::Failure& failure) {
  return {Severity::error,
          "down",
          {},
          "it is down: " + failure.detail,
          "it has no vote: no lease is granted there",
          advice_on_down(failure.code)};
}

void judge_schema(Findings& all, const PostgresqlFacts& node, const PostgresqlCriteria& criteria) {
  const std::string nobody = "nobody gets a lease there";
  if (!node.schema) {
    if (node.schema.error().code == FailureCode::no_permission) return;  // named as a right
    return add(all, Severity::error, "schema",
               "its schema tenure cannot be looked at: " + node.schema.error().detail, nobody,
               "look at its log");
  }
  if (node.schema->kind == FoundSchema::Kind::absent) {
    const bool may_not = node.settings && !node.settings->may_create;
    return add(all, Severity::error, "schema_absent", "it has no schema tenure", nobody,
               may_not ? grant_create_advice(node.settings->database, node.settings->user)
                       : "make it" + criteria.nodes.how_to_init);
  }
  if (const auto why = unfit(*node.schema)) {
    const auto colon = why->find(": ");
    add(all, Severity::error, "schema_version", why->substr(0, colon), nobody, why->substr(colon + 2));
  }
}

void judge_record(Findings& all, const PostgresqlFacts& node, const PostgresqlCriteria& criteria) {
  if (!node.schema || !node.schema->ours()) return;
  if (!node.record) {
    if (node.record.error().code == FailureCode::no_permission) return;
    return add(all, Severity::error, "record", "its record cannot be read: " + node.record.error().detail,
               "without it nobody gets a lease there", "look at the table tenure.record");
  }
  if (auto finding =
          postgresql_record_finding(*node.record, node.other_life, criteria.nodes, criteria.wall_now_ms)) {
    all.push_back(std::move(*finding));
  } else if (node.counter && *node.counter < token_min) {
    add(all, Severity::error, "fence",
        "its counter of tokens is far too small: " + std::to_string(*node.counter),
        "somebody changes what is Tenure's: the first client to come begins a quarantine",
        "find out who did that; the counter is set when the quarantine ends");
  }
}

void judge_durability(Findings& all, const ServerSettings& settings) {
  const bool commit = settings.synchronous_commit == "off";
  if (!commit && settings.fsync != "off") return;
  add(all, Severity::warning, "may_forget",
      std::string("it may forget: ") + (commit ? "synchronous_commit" : "fsync") + " is off",
      "a crash can take leases that were committed, so every restart begins a quarantine",
      commit ? "ALTER ROLE " + core::printable(settings.user, 60) + " SET synchronous_commit = on"
             : "fsync = on in its postgresql.conf");
}

void judge_server(Findings& all, const ServerSettings& settings) {
  if (settings.standby) {
    add(all, Severity::error, "standby", "it is a standby", "it takes no writes, and so gives no leases",
        "name its primary");
  }
  judge_durability(all, settings);
  if (settings.isolation != "read committed") {
    add(all, Severity::warning, "isolation",
        "default_transaction_isolation is " + core::printable(settings.isolation, 40),
        "leases are made for read committed: elsewhere statements fail because others were in the way",
        "ALTER ROLE " + core::printable(settings.user, 60) +
            " SET default_transaction_isolation = 'read committed'");
  }
  if (settings.autovacuum != "on") {
    add(all, Severity::warning, "autovacuum", "autovacuum is off",
        "the tables of leases grow with every renewal, and get slower", "autovacuum = on");
  }
  if (settings.connections_left * 10 < settings.connections_max) {
    add(all, Severity::warning, "connections",
        "of " + std::to_string(settings.connections_max) + " connections " +
            std::to_string(settings.connections_left) + " are left",
        "a client that finds none gets no lease", "raise max_connections, or put a pooler in between");
  }
}

// Behind a pooler only the way to it is seen, and by nobody here.
void judge_network(Findings& all, const PostgresqlFacts& node) {
  if (!node.transport.network) return;
  const std::string advice = "sslmode=verify-full in its URL, with sslrootcert=FILE";
  if (node.settings && !node.settings->tls && node.direct.value_or(true)) {
    return add(all, Severity::warning, "plaintext",
               "its password and all statements go over the network in plain text",
               "whoever is on the way can read and forge leases", advice);
  }
  if (node.transport.verified) return;
  add(all, Severity::note, "unverified", "it need not prove who it is: sslmode is weaker than verify-full",
      "whoever is on the way can pretend to be it", advice);
}

void judge_pooler(Findings& all, const PostgresqlFacts& node) {
  if (node.direct.value_or(true)) return;
  add(all, Severity::note, "pooler", "a pooler stands in between",
      "waiters are not woken: they look every 100 to 300 ms, and do not get a name in the order in which "
      "they "
      "came. All else is as without it",
      "a URL of the server itself, where that matters");
}

void judge_times(Findings& all, const PostgresqlFacts& node, const PostgresqlCriteria& criteria) {
  if (node.clock_ahead && (*node.clock_ahead > clocks_agree || *node.clock_ahead < -clocks_agree)) {
    const bool ahead = *node.clock_ahead > core::Duration::zero();
    const auto offset = std::chrono::round<milliseconds>(ahead ? *node.clock_ahead : -*node.clock_ahead);
    add(all, Severity::note, "clock_offset",
        "its clock is " + core::to_text(offset) + (ahead ? " ahead of" : " behind") + " this machine's",
        "leases are counted by its clock alone; what is shown of quarantines may be off by that",
        "set the clocks by NTP");
  }
  if (!node.round_trip || *node.round_trip * 2 < criteria.node_timeout) return;
  const bool hopeless = *node.round_trip >= criteria.node_timeout;
  add(all, hopeless ? Severity::error : Severity::warning, "round_trip",
      "a round trip takes " + core::to_text(std::chrono::ceil<milliseconds>(*node.round_trip)) +
          ", and a node counts as silent after " + core::to_text(criteria.node_timeout),
      hopeless ? "with this TTL its answers always come too late"
               : "with this TTL its answers often come too late",
      "use a longer TTL (a node has a tenth of it to answer, at most 1s), or a node that is nearer");
}

void judge_rights(Findings& all, const PostgresqlFacts& node) {
  if (node.missing_rights.empty()) return;
  std::string names;
  for (const MissingRight& right : node.missing_rights) names += (names.empty() ? "" : "; ") + right.name;
  std::string grants = postgres::grants(postgres::Use::leases,
                                        node.settings ? core::printable(node.settings->user, 60) : "ROLE");
  for (auto& letter : grants) letter = letter == '\n' ? ' ' : letter;
  grants.pop_back();
  const bool only_heartbeats = std::ranges::all_of(node.missing_rights, &MissingRight::heartbeats);
  add(all, only_heartbeats ? Severity::warning : Severity::error, "rights", "the user lacks: " + names,
      only_heartbeats ? "without it fleets fail; locks and elections do not need it"
                      : "without it leases fail, or waiting does",
      grants);
}

}  // namespace

std::vector<Finding> findings_of(const PostgresqlFacts& node, const PostgresqlCriteria& criteria) {
  if (node.down) return {down(*node.down)};
  Findings all;
  if (node.settings) {
    judge_server(all, *node.settings);
  } else {
    add(all, Severity::note, "could_not_look",
        "could not look: its settings: " + node.settings.error().detail,
        "nothing is known about it; leases may be well all the same", "look at its log");
  }
  judge_rights(all, node);
  judge_schema(all, node, criteria);
  judge_record(all, node, criteria);
  judge_network(all, node);
  judge_times(all, node, criteria);
  judge_pooler(all, node);
  return all;
}

}  // namespace tenure::cli
