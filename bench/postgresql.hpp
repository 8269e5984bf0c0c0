// A private PostgreSQL with the schema of Tenure and a record, as tenure init makes them, where servers belong.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client_of.hpp"
#include "postgres/call.hpp"
#include "stage.hpp"

namespace tenure::bench {

// When does the server say that a transaction is committed? The second is synchronous_commit=off: a crash may forget the last
// moment of it, and the record says so.
enum class Commits : std::uint8_t { on_disk, sooner };

class Database {
 public:
  // Nullptr, and a line on standard error with the reason, where there is no PostgreSQL.
  static std::unique_ptr<Database> start(Stage& stage, Commits commits);

  const std::shared_ptr<test::PostgresServer>& server() const { return server_; }
  std::string url() const { return server_->url(); }
  Client open() const { return client_of({url()}); }

  // What requests must name.
  static postgres::Keyspace keyspace() { return {}; }
  const std::string& epoch() const { return epoch_; }

 private:
  explicit Database(std::shared_ptr<test::PostgresServer> server);

  std::shared_ptr<test::PostgresServer> server_;
  std::string epoch_;
};

// For titles: "every commit on disk".
std::string to_text(Commits commits);
// For file names of rows.
std::string row_id(const std::string& name, Commits commits);

}  // namespace tenure::bench
