// What a hand-made program would do: a blocking connection of libpq with prepared statements, and nothing between it and
// PostgreSQL.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

#include "postgres/call.hpp"

namespace tenure::bench {

// A statement that was prepared, with what it is to give: otherwise the floor would be too cheap.
struct Prepared {
  const char* name;
  std::vector<postgres::Value> arguments;
  // The first column of its row, or if it gives none the number of rows that it has changed, begins so.
  const char* expected;
};

class PostgresFloor {
 public:
  // Throws std::runtime_error, as all that follows.
  explicit PostgresFloor(const std::string& url);

  void execute(const std::string& sql);
  void prepare(const char* name, const std::string& sql);
  // Gives the first column of the row, or how many rows it has changed.
  std::string call(const Prepared& it);

  // From now on any number may be under way, each a transaction of its own.
  void begin_pipeline();
  void send(const Prepared& it);
  void receive(const char* expected);

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;

  std::string checked(const PGresult* result, const char* expected) const;
  [[noreturn]] void fail() const;
  int point_at(const std::vector<postgres::Value>& arguments);

  std::unique_ptr<PGconn, Finish> connection_;
  std::vector<const char*> pointers_;
};

}  // namespace tenure::bench
