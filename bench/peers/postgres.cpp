// Session-level advisory locks of PostgreSQL as a peer of the benchmark: peer-postgres CONNECTION.
//
// They are bound to the connection: no TTL, nothing to renew, and an owner that hangs keeps the name for as long as its
// connection stands. A waiter waits in the server's own queue.
#include <endian.h>
#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "peers/serve.hpp"

namespace tenure::bench::peers {

namespace {

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr Oid bigint = 20;  // of PostgreSQL's table of types

Connection connected(const std::string& to) {
  Connection connection(PQconnectdb(to.c_str()), PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
  return connection;
}

// A connection of its own with both statements prepared: what a program in a hurry does.
class AdvisoryLock : public Caller {
 public:
  explicit AdvisoryLock(const std::string& to) : connection_(connected(to)) {
    prepare_statement("acquire", "SELECT pg_advisory_lock($1)");
    prepare_statement("release", "SELECT pg_advisory_unlock($1)");
  }
  void acquire(int name) override {
    name_ = name;
    run("acquire");
  }
  void release() override {
    const Result answer = run("release");
    if (*PQgetvalue(answer.get(), 0, 0) != 1) throw std::runtime_error("the lock was not held");
  }

 private:
  void prepare_statement(const char* name, const char* text) {
    const Result made(PQprepare(connection_.get(), name, text, 1, &bigint), PQclear);
    if (PQresultStatus(made.get()) != PGRES_COMMAND_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
  }
  // Names and answers in binary, which spares both sides the text.
  Result run(const char* statement) {
    const std::uint64_t key = htobe64(static_cast<std::uint64_t>(std::int64_t{name_}));
    const std::array<const char*, 1> values{reinterpret_cast<const char*>(&key)};
    const std::array<int, 1> lengths{sizeof key};
    const std::array<int, 1> formats{1};
    Result answer(
        PQexecPrepared(connection_.get(), statement, 1, values.data(), lengths.data(), formats.data(), 1),
        PQclear);
    if (PQresultStatus(answer.get()) != PGRES_TUPLES_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    return answer;
  }

  Connection connection_;
  int name_ = 0;
};

class Postgres : public Backend {
 public:
  explicit Postgres(std::string to) : to_(std::move(to)) {}

  std::string version() override {
    const Connection connection = connected(to_);
    const std::string server = PQparameterStatus(connection.get(), "server_version");
    return "PostgreSQL " + server.substr(0, server.find(' ')) + ", pg_advisory_lock by libpq, prepared";
  }
  std::unique_ptr<Caller> connect() override { return std::make_unique<AdvisoryLock>(to_); }
  bool hold(int /*count*/) override { return false; }
  void renew() override {}
  void drop() override {}

 private:
  std::string to_;
};

}  // namespace

}  // namespace tenure::bench::peers

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  tenure::bench::peers::Postgres postgres(argv[1]);
  return tenure::bench::peers::serve(postgres);
}
