// A real PostgreSQL whose functions read the time from the test: a minute takes no time, and no moment of real time decides what
// is over. All else of the schema is as it ships, unless the test plants a bug in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "postgres/call.hpp"
#include "postgres/net/address.hpp"
#include "postgres/net/wire.hpp"
#include "support/postgres_server.hpp"

namespace tenure::conformance {

class SteppedPostgres {
 public:
  // Nothing of what it commits survives a crash of the machine: it says so in its records.
  SteppedPostgres();

  // Makes the schema by that text, which is shipped_schema() or much like it. What there was is gone.
  void install(const std::string& schema);
  static std::string shipped_schema();

  // No record, no lease, nobody waits or listens, and the next token is one larger than that.
  void clear(core::Token fence);
  void set_clock(std::int64_t unix_ms);

  // What came of a call, and what there was behind it.
  struct Outcome {
    tl::expected<postgres::Rows, core::Failure> answer;
    core::FoundRecord record{};
    core::Token fence = 0;
    std::string data{};                   // a line for each lease, and for each that waits
    std::vector<std::string> messages{};  // that waiters were sent, in order
  };
  Outcome call(const postgres::Call& call);

  // Somebody else listens for that, or no longer: this one is told of all that is sent, but is not who listens.
  void listen(const std::string& what);
  void stop_listening(const std::string& what);
  // From now on, messages for these are among those of an outcome.
  void overhear(const std::vector<std::string>& whats);

  // As after a crash or a failover: what the record says was written in another life of the server.
  void begin_new_life();

 private:
  postgres::Rows ask(postgres::Wire& wire, const postgres::Call& call);

  test::PostgresServer server_;
  postgres::Address address_;
  postgres::Wire wire_;
  postgres::Wire listener_;
};

}  // namespace tenure::conformance
