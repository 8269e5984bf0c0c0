// Acquire and release on PostgreSQL, one after the other.
#include "benches.hpp"
#include "measure.hpp"
#include "postgresql.hpp"
#include "postgresql_calls.hpp"

namespace tenure::bench {

namespace {

template <class Calls>
void alone(PostgresFloor& by, Calls& calls, int times) {
  for (int i = 0; i < times; ++i) {
    by.call(calls.acquire());
    by.call(calls.release());
  }
}

void add_row(Rows& rows, Commits commits, Stage& stage) {
  const auto database = Database::start(stage, commits);
  if (!database) return;
  PostgresFloor by(database->url());
  InsertDelete::prepare(by);
  SameFunctions::prepare(by);
  InsertDelete insert_delete("bench");
  InsertDeleteSooner sooner("sooner");
  SameFunctions same("floor", database->epoch());
  const Client client = database->open();
  const Lock lock = client.lock("bench");
  const int times = commits == Commits::on_disk ? 150 : 300;
  const auto floor = [&](auto& calls) {
    return [&by, &calls, times] { return timed([&] { alone(by, calls, times); }); };
  };
  const auto both_ways = [&] {
    return timed([&] {
      for (int i = 0; i < times; ++i) {
        auto lease = expect(lock.try_acquire());
        expect(lease.release());
      }
    });
  };
  const auto scopes = [&] {
    return timed([&] {
      for (int i = 0; i < times; ++i) expect(lock.try_acquire());
    });
  };
  Row row{row_id("postgresql-one", commits),
          "PostgreSQL: acquire and release, one caller, " + to_text(commits),
          "One caller takes a free name and gives it back, again and again; each of the two is a transaction "
          "of its own, in one statement. A inserts a row with an owner and a time, and deletes it; it draws "
          "no token, and knows of no queue, of no server that forgets and of no tenure.holds(). No release "
          "of Tenure waits for the disk, so no DELETE of B does, by a setting that takes a moment itself: "
          "the goal is set against B where commits are on disk, and otherwise against A. C calls Tenure's "
          "own functions in the same way: what C takes longer is the functions', what Tenure takes longer "
          "than C is the client's. A scope does not wait for the answer to its release, which the next "
          "acquisition goes behind; all others wait for both answers. The advisory lock writes nothing, "
          "however the server is set.",
          time_column};
  std::vector<Contestant> all{
      {"A  INSERT … ON CONFLICT, DELETE", Kind::floor, floor(insert_delete), 1.0 * times},
      {"B  the same, no DELETE waits for the disk", Kind::floor, floor(sooner), 1.0 * times},
      {"C  the same functions", Kind::floor, floor(same), 1.0 * times},
      {"Tenure", Kind::tenure, both_ways, 1.0 * times},
      {"Tenure, a scope", Kind::tenure, scopes, 1.0 * times}};
  const auto peers = stage.postgres_peers(database->server());
  for (const auto& peer : peers) all.push_back(cycles_of(*peer, 1));
  row.entries = measure(all, stage.rounds());
  const std::size_t alike = commits == Commits::on_disk ? 1 : 0;
  row.goals = {
      {std::string("speed / ") + (alike == 1 ? "B's" : "A's"), row.speed("Tenure", row.entries[alike].name),
       Goal::Side::at_least, 0.8, Unit::times,
       "C shows how much of it is the functions', which also look at the record, draw a token and lock the "
       "row of the name. Needed would be that the larger step becomes shorter: to C, or from C to Tenure."}};
  rows.push_back(std::move(row));
}

}  // namespace

Rows postgresql_one_caller(Stage& stage) {
  Rows rows;
  for (const Commits commits : {Commits::on_disk, Commits::sooner}) add_row(rows, commits, stage);
  return rows;
}

}  // namespace tenure::bench
