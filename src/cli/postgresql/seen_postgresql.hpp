// A PostgreSQL as it is before a command changes it: one that Tenure works with, its schema, and the record that it has.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "core/lease/record.hpp"
#include "core/message.hpp"
#include "postgres/call.hpp"
#include "postgres/net/caller.hpp"
#include "postgres/net/schema_setup.hpp"

namespace tenure::cli {

struct SeenPostgresql {
  postgres::Caller server;  // by which it can be changed
  postgres::FoundSchema schema{};
  core::FoundRecord record{};
};

// Changes nothing. Fails when the server does not answer, when it is none that Tenure works with, and when it lacks the schema and
// the user may not make it.
tl::expected<SeenPostgresql, core::Failure> see_postgresql(const postgres::Address& address,
                                                           const postgres::Keyspace& keyspace);

// Makes the schema where it is absent. Somebody else may make it at the same time: then theirs is as good.
tl::expected<void, core::Failure> make_schema_of(SeenPostgresql& seen, const postgres::Address& address);

// The record of that prefix, where there is the schema.
tl::expected<core::FoundRecord, core::Failure> ask_record(postgres::Caller& server,
                                                          const postgres::Keyspace& keyspace);

// Why there can be no leases in that schema, with what to do about it; nothing where there can, or there is none yet.
std::optional<std::string> unfit(const postgres::FoundSchema& schema);

// What to do where the schema is lacking and the user may not make it: as SQL names them.
std::string grant_create_advice(const std::string& database, const std::string& user);

}  // namespace tenure::cli
