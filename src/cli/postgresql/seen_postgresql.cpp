#include "cli/postgresql/seen_postgresql.hpp"

#include <utility>

#include "cli/nodes/seen_node.hpp"
#include "core/base/text.hpp"
#include "postgres/schema.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using core::FailureCode;
using postgres::FoundSchema;

Failure refused(FailureCode code, std::string why) { return {core::Applied::no, code, std::move(why)}; }

// What making the schema takes: nothing where all of it is there.
std::optional<Failure> lack_for_schema(postgres::Caller& server) {
  const auto answer = server.call(
      {"SELECT has_database_privilege(current_database(), 'CREATE'), quote_ident(current_database()), "
       "quote_ident(current_user)"});
  if (!answer) return answer.error();
  if (answer->size() != 1 || answer->front().size() != 3) return core::misfit;
  const postgres::Row& row = answer->front();
  if (row[0] == "t") return std::nullopt;
  return refused(FailureCode::no_permission,
                 "the schema tenure is not there, and the user may not make it. " +
                     grant_create_advice(row[1].value_or(""), row[2].value_or("")));
}

}  // namespace

std::string grant_create_advice(const std::string& database, const std::string& user) {
  return "Let it: GRANT CREATE ON DATABASE " + core::printable(database, 80) + " TO " +
         core::printable(user, 80) +
         "; or let somebody who may make it there: tenure init --print-sql prints how";
}

std::optional<std::string> unfit(const FoundSchema& schema) {
  if (schema.kind == FoundSchema::Kind::absent || schema.ours()) return std::nullopt;
  if (schema.kind == FoundSchema::Kind::foreign) {
    return "it has a schema tenure that Tenure did not make: rename that, or use another database";
  }
  const std::string ours = std::to_string(postgres::schema_version);
  return "its schema tenure is of version " + std::to_string(schema.version) +
         ", and this program needs version " + ours +
         (schema.version > postgres::schema_version ? ": use a newer tenure"
                                                    : ": tenure init upgrades it, as the role that owns it");
}

tl::expected<core::FoundRecord, Failure> ask_record(postgres::Caller& server,
                                                    const postgres::Keyspace& keyspace) {
  const auto answer = server.call(postgres::record_call(keyspace));
  if (!answer) return tl::unexpected(answer.error());
  if (answer->size() != 1 || answer->front().size() != 1 || !answer->front()[0]) {
    return tl::unexpected(core::misfit);
  }
  return postgres::found_record(*answer->front()[0]);
}

tl::expected<SeenPostgresql, Failure> see_postgresql(const postgres::Address& address,
                                                     const postgres::Keyspace& keyspace) {
  auto server = postgres::Caller::connect(address, change_timeout);
  if (!server) return tl::unexpected(server.error());
  const auto standby = server->call({"SELECT pg_is_in_recovery()"});
  if (!standby) return tl::unexpected(standby.error());
  if (standby->front().at(0) == "t") {
    return tl::unexpected(
        refused(FailureCode::read_only, "it is a standby, which takes no writes; name its primary"));
  }
  const auto schema = postgres::find_schema(*server);
  if (!schema) return tl::unexpected(schema.error());
  if (auto why = unfit(*schema)) return tl::unexpected(refused(FailureCode::not_set_up, std::move(*why)));
  core::FoundRecord record;
  if (schema->ours()) {
    auto found = ask_record(*server, keyspace);
    if (!found) return tl::unexpected(found.error());
    record = std::move(*found);
  } else if (auto lack = lack_for_schema(*server)) {
    return tl::unexpected(std::move(*lack));
  }
  return SeenPostgresql{std::move(*server), *schema, std::move(record)};
}

tl::expected<void, Failure> make_schema_of(SeenPostgresql& seen, const postgres::Address& address) {
  if (seen.schema.ours()) return {};
  if (auto made = postgres::make_schema(address, seen.schema, change_timeout); !made) {
    return tl::unexpected(std::move(made.error()));
  }
  const auto found = postgres::find_schema(seen.server);
  if (!found) return tl::unexpected(found.error());
  if (found->ours()) return {};
  return tl::unexpected(
      refused(FailureCode::not_set_up,
              unfit(*found).value_or("somebody else makes or drops the schema tenure: try again")));
}

}  // namespace tenure::cli
