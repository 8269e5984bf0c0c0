#include "postgres/net/schema_setup.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/number.hpp"
#include "postgres/failure.hpp"
#include "postgres/schema.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::postgres {

namespace {

using core::Failure;

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using Connection = std::unique_ptr<PGconn, Finish>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

std::string error_of(const Connection& connection, const Address& address) {
  const char* const message = PQerrorMessage(connection.get());
  return without_secrets(message == nullptr ? "" : message, address);
}

tl::expected<Connection, Failure> connect(const Address& address, core::Duration timeout) {
  const std::string seconds = std::to_string(std::chrono::ceil<std::chrono::seconds>(timeout).count());
  // What the URL says wins over what stands before it.
  constexpr std::array<const char*, 5> keywords{"fallback_application_name", "connect_timeout", "dbname",
                                                "client_encoding", nullptr};
  const std::array<const char*, 5> values{"tenure", seconds.c_str(), address.url.c_str(), "UTF8", nullptr};
  Connection connection(PQconnectdbParams(keywords.data(), values.data(), 1));
  if (connection && PQstatus(connection.get()) == CONNECTION_OK) return connection;
  return tl::unexpected(classify_connecting(connection ? error_of(connection, address) : ""));
}

// Somebody else makes the same at the same time: the server says so in as many ways as there are things to make. Upgrades come one
// after the other, and say so themselves.
using States = std::span<const std::string_view>;
constexpr std::array<std::string_view, 6> made_already{"42P06", "42P07", "42723", "42710", "42712", "23505"};
constexpr std::array<std::string_view, 1> upgraded_already{"42710"};

// Several statements in one message are one transaction.
tl::expected<bool, Failure> run_all(const Connection& connection, const Address& address,
                                    const std::string& statements, States done_already, core::Time deadline) {
  const auto lost = [&] {
    Failure failure = classify_connecting(error_of(connection, address));
    failure.applied = core::Applied::perhaps;
    return tl::unexpected(std::move(failure));
  };
  if (PQsendQuery(connection.get(), statements.c_str()) != 1) return lost();
  tl::expected<bool, Failure> outcome = true;
  while (true) {
    while (PQisBusy(connection.get()) == 1) {
      if (!runtime::wait_for(PQsocket(connection.get()), POLLIN, deadline)) {
        return tl::unexpected(core::silence);
      }
      if (PQconsumeInput(connection.get()) != 1) return lost();
    }
    const Result result(PQgetResult(connection.get()), &PQclear);
    if (!result) break;
    if (PQresultStatus(result.get()) != PGRES_FATAL_ERROR) continue;
    const char* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    const char* const words = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
    if (state != nullptr && std::ranges::find(done_already, state) != done_already.end()) {
      outcome = false;
    } else {
      outcome = tl::unexpected(classify(state == nullptr ? "" : state, words == nullptr ? "" : words));
    }
  }
  return PQstatus(connection.get()) == CONNECTION_OK ? outcome : lost();
}

}  // namespace

bool FoundSchema::ours() const { return kind == Kind::made && version == schema_version; }

bool FoundSchema::upgradable() const {
  return kind == Kind::made && version >= schema_version_oldest && version < schema_version;
}

tl::expected<FoundSchema, Failure> find_schema(Caller& server) {
  // By the catalog, which everybody may read.
  const auto found =
      server.call({"SELECT count(p.oid) FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_proc p "
                   "ON p.pronamespace = n.oid AND p.proname = 'schema_version' AND p.pronargs = 0 "
                   "WHERE n.nspname = 'tenure' GROUP BY n.oid"});
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) return FoundSchema{};
  if (found->front().at(0) != "1") return FoundSchema{FoundSchema::Kind::foreign, 0};
  const auto told = server.call({"SELECT tenure.schema_version()"});
  if (!told) return tl::unexpected(told.error());
  const Value version = told->empty() ? std::nullopt : told->front().at(0);
  const auto number = version ? core::read_number<int>(*version) : std::nullopt;
  if (!number) return tl::unexpected(core::misfit);
  return FoundSchema{FoundSchema::Kind::made, *number};
}

tl::expected<bool, Failure> make_schema(const Address& address, const FoundSchema& found,
                                        core::Duration timeout) {
  const auto connection = connect(address, timeout);
  if (!connection) return tl::unexpected(connection.error());
  const core::Time deadline = runtime::boot_now() + timeout;
  if (!found.upgradable()) return run_all(*connection, address, schema_sql(), made_already, deadline);
  auto upgraded = run_all(*connection, address, upgrade_sql(found.version), upgraded_already, deadline);
  if (upgraded || upgraded.error().code != core::FailureCode::no_permission) return upgraded;
  Failure failure = upgraded.error();
  failure.detail = "the role may not upgrade the schema tenure: run tenure init as the role that owns it: " +
                   failure.detail;
  return tl::unexpected(std::move(failure));
}

}  // namespace tenure::postgres
