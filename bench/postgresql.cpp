#include "postgresql.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "postgres/net/address.hpp"
#include "postgres/net/caller.hpp"
#include "postgres/schema.hpp"
#include "runtime/wall_clock.hpp"
#include "servers.hpp"

namespace tenure::bench {

std::unique_ptr<Database> Database::start(Stage& stage, Commits commits) {
  const std::string name = "PostgreSQL";
  std::shared_ptr<test::PostgresServer> server;
  try {
    server =
        start_postgres({std::string("synchronous_commit=") + (commits == Commits::on_disk ? "on" : "off")});
  } catch (const std::runtime_error& error) {
    say_missing(name, error.what());
    stage.add_absent(name);
    return nullptr;
  }
  return std::unique_ptr<Database>(new Database(std::move(server)));
}

Database::Database(std::shared_ptr<test::PostgresServer> server)
    : server_(std::move(server)), epoch_("bench") {
  test::postgres_query(url(), postgres::schema_sql());
  const postgres::Address address = postgres::parse_url(url()).value();
  auto caller = postgres::Caller::connect(address, std::chrono::seconds(10));
  const postgres::Introduction introduction{epoch_, runtime::wall_now_ms()};
  caller->call(postgres::init_call(introduction, keyspace())).value();
  // Makes the record say whether this server forgets, which the floors must not be refused for.
  caller->call(postgres::admit_call(introduction, keyspace(), 0)).value();
}

std::string to_text(Commits commits) {
  return commits == Commits::on_disk ? "every commit on disk" : "commits that a crash may forget";
}

std::string row_id(const std::string& name, Commits commits) {
  return name + (commits == Commits::on_disk ? "" : "-async");
}

}  // namespace tenure::bench
