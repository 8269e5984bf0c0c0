// What one PostgreSQL says of itself when it is asked once: a look that changes nothing, and judges nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/doctor/record_finding.hpp"
#include "core/base/time.hpp"
#include "core/lease/record.hpp"
#include "core/message.hpp"
#include "postgres/net/address.hpp"
#include "postgres/net/schema_setup.hpp"

namespace tenure::cli {

// As the user that asks has them: clients come as the same.
struct ServerSettings {
  std::string version;  // "16.4"
  bool standby = false;
  std::string synchronous_commit;
  std::string fsync;
  std::string isolation;  // default_transaction_isolation
  std::string autovacuum;
  std::int64_t connections_max = 0;
  std::int64_t connections_left = 0;  // for ordinary users
  bool tls = false;                   // between the server and whoever asks it, which may be a pooler
  std::string identifier;             // of the database cluster
  std::string user;                   // these two as SQL writes them
  std::string database;
  bool may_create = false;  // a schema
};

struct MissingRight {
  std::string name;         // "UPDATE on the table tenure.lease"
  bool heartbeats = false;  // only heartbeats of fleets need it
};

struct PostgresqlFacts {
  std::optional<core::Failure> down{};  // then nothing below is known
  std::optional<core::Duration> round_trip{};
  std::optional<core::Duration> clock_ahead{};  // of this machine's wall clock, by half a round trip at most
  std::optional<bool> direct{};                 // nothing stands between us and the server
  postgres::Transport transport{};
  tl::expected<ServerSettings, core::Failure> settings{};
  std::vector<MissingRight> missing_rights{};
  tl::expected<postgres::FoundSchema, core::Failure> schema{};
  // Where there is the schema.
  tl::expected<core::FoundRecord, core::Failure> record{};
  std::optional<OtherLife> other_life{};
  std::optional<std::int64_t> counter{};  // of tokens: the last one
};

// Blocks, for no longer than the timeout if the server does not answer at all.
PostgresqlFacts look_at(const postgres::Address& address, const postgres::Keyspace& keyspace,
                        core::Duration timeout);

// As much of it as says whether the node gives leases.
PostgresqlFacts look_at_record(const postgres::Address& address, const postgres::Keyspace& keyspace,
                               core::Duration timeout);

}  // namespace tenure::cli
