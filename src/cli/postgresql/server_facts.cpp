#include "cli/postgresql/server_facts.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "cli/postgresql/record_state.hpp"
#include "cli/postgresql/seen_postgresql.hpp"
#include "core/base/number.hpp"
#include "postgres/grants.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using postgres::Caller;
using postgres::Rows;

constexpr int pings = 5;

// The first one is not measured: it pays for the connection.
tl::expected<core::Duration, Failure> measure(Caller& server) {
  std::vector<core::Duration> times;
  for (int i = 0; i <= pings; ++i) {
    const core::Time sent = runtime::boot_now();
    const auto pong = server.call({"SELECT 1"});
    if (!pong) return tl::unexpected(pong.error());
    if (i > 0) times.push_back(runtime::boot_now() - sent);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

std::optional<std::int64_t> number_in(const Rows& rows) {
  if (rows.size() != 1 || rows.front().empty() || !rows.front()[0]) return std::nullopt;
  return core::read_number<std::int64_t>(*rows.front()[0]);
}

std::optional<core::Duration> ask_clock(Caller& server) {
  const auto before = runtime::wall_now_ms();
  const auto answer = server.call({"SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"});
  const auto after = runtime::wall_now_ms();
  const auto us = answer ? number_in(*answer) : std::nullopt;
  if (!us) return std::nullopt;
  return std::chrono::microseconds(*us) - std::chrono::milliseconds((before + after) / 2);
}

// Statistics are there for everybody, but not who is connected.
constexpr auto settings_statement =
    "SELECT current_setting('server_version'), pg_is_in_recovery(), current_setting('synchronous_commit'), "
    "current_setting('fsync'), current_setting('default_transaction_isolation'), "
    "current_setting('autovacuum'), current_setting('max_connections'), "
    "greatest(current_setting('max_connections')::bigint "
    "- coalesce(current_setting('superuser_reserved_connections', true), '0')::bigint "
    "- coalesce(current_setting('reserved_connections', true), '0')::bigint "
    "- coalesce((SELECT sum(numbackends) FROM pg_stat_database), 0), 0), "
    "coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false), "
    "(SELECT system_identifier FROM pg_control_system()), quote_ident(current_user), "
    "quote_ident(current_database()), has_database_privilege(current_database(), 'CREATE')";

tl::expected<ServerSettings, Failure> ask_settings(Caller& server) {
  auto rows = server.call({settings_statement});
  if (!rows) return tl::unexpected(std::move(rows.error()));
  constexpr std::size_t columns = 13;
  if (rows->size() != 1 || rows->front().size() != columns) return tl::unexpected(core::misfit);
  const auto text = [&](std::size_t column) { return rows->front()[column].value_or(""); };
  const auto number = [&](std::size_t column) {
    return core::read_number<std::int64_t>(text(column)).value_or(0);
  };
  // Debian adds its own version behind that.
  return ServerSettings{text(0).substr(0, text(0).find(' ')),
                        text(1) == "t",
                        text(2),
                        text(3),
                        text(4),
                        text(5),
                        number(6),
                        number(7),
                        text(8) == "t",
                        text(9),
                        text(10),
                        text(11),
                        text(12) == "t"};
}

// What the role lacks of what all clients ask for, and what else the schema takes. Sessions and results of fleets are not among it.
std::string rights_statement() {
  std::string list;
  for (const postgres::Right& it : postgres::rights(postgres::Use::leases)) {
    list += (list.empty() ? "('" : ", ('") + std::string(it.kind) + "', '" + std::string(it.name) + "', '" +
            std::string(it.privileges) + "', " + (it.heartbeats ? "true" : "false") + ")";
  }
  return "SELECT string_agg(r.privilege, ', ') || ' on the ' || lower(r.kind) || ' tenure.' || r.name, "
         "r.heartbeats FROM (SELECT v.*, unnest(string_to_array(v.privileges, ', ')) AS privilege FROM "
         "(VALUES " +
         list +
         ") v(kind, name, privileges, heartbeats)) r "
         "JOIN pg_namespace n ON n.nspname = 'tenure' "
         "JOIN pg_class c ON c.relname = r.name AND c.relnamespace = n.oid "
         "WHERE NOT CASE r.kind WHEN 'TABLE' THEN has_table_privilege(c.oid, r.privilege) "
         "ELSE has_sequence_privilege(c.oid, r.privilege) END GROUP BY r.kind, r.name, r.heartbeats "
         "UNION ALL SELECT 'USAGE on the schema tenure', false FROM pg_namespace n "
         "WHERE n.nspname = 'tenure' AND NOT has_schema_privilege(n.oid, 'USAGE') "
         "UNION ALL SELECT 'EXECUTE on ' || count(*) || ' functions of the schema tenure', false FROM "
         "pg_proc p "
         "JOIN pg_namespace n ON n.nspname = 'tenure' AND p.pronamespace = n.oid "
         "WHERE NOT has_function_privilege(p.oid, 'EXECUTE') HAVING count(*) > 0";
}

tl::expected<std::vector<MissingRight>, Failure> ask_missing_rights(Caller& server) {
  static const std::string statement = rights_statement();
  const auto rows = server.call({statement.c_str()});
  if (!rows) return tl::unexpected(rows.error());
  std::vector<MissingRight> missing;
  for (const postgres::Row& row : *rows) missing.push_back({row.at(0).value_or(""), row.at(1) == "t"});
  return missing;
}

void look_into_schema(PostgresqlFacts& facts, Caller& server, const postgres::Keyspace& keyspace) {
  facts.schema = postgres::find_schema(server);
  if (!facts.schema || !facts.schema->ours()) return;
  facts.record = ask_record(server, keyspace);
  if (const auto life = ask_other_life(server, keyspace)) facts.other_life = *life;
  if (const auto counter = server.call({"SELECT last_value FROM tenure.fence"})) {
    facts.counter = number_in(*counter);
  }
}

}  // namespace

PostgresqlFacts look_at(const postgres::Address& address, const postgres::Keyspace& keyspace,
                        core::Duration timeout) {
  PostgresqlFacts facts;
  facts.transport = postgres::transport_of(address);
  auto server = Caller::connect(address, timeout);
  if (!server) {
    facts.down = std::move(server.error());
    return facts;
  }
  const auto round_trip = measure(*server);
  const auto missing_rights = round_trip ? ask_missing_rights(*server) : std::vector<MissingRight>{};
  if (!round_trip || !missing_rights) {
    facts.down = round_trip ? missing_rights.error() : round_trip.error();
    return facts;
  }
  facts.round_trip = *round_trip;
  facts.missing_rights = *missing_rights;
  facts.clock_ahead = ask_clock(*server);
  if (const auto direct = server->is_direct()) facts.direct = *direct;
  facts.settings = ask_settings(*server);
  look_into_schema(facts, *server, keyspace);
  return facts;
}

PostgresqlFacts look_at_record(const postgres::Address& address, const postgres::Keyspace& keyspace,
                               core::Duration timeout) {
  PostgresqlFacts facts;
  facts.transport = postgres::transport_of(address);
  auto server = Caller::connect(address, timeout);
  auto missing_rights = server ? ask_missing_rights(*server) : tl::unexpected(std::move(server.error()));
  if (!missing_rights) {
    facts.down = std::move(missing_rights.error());
    return facts;
  }
  facts.missing_rights = std::move(*missing_rights);
  facts.settings = ask_settings(*server);
  look_into_schema(facts, *server, keyspace);
  return facts;
}

}  // namespace tenure::cli
