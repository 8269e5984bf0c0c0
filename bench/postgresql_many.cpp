// Acquire and release on PostgreSQL by 64 callers, each with a name of its own.
#include <memory>

#include "benches.hpp"
#include "callbacks.hpp"
#include "crowd.hpp"
#include "measure.hpp"
#include "postgresql.hpp"
#include "postgresql_calls.hpp"

namespace tenure::bench {

namespace {

constexpr int callers = 64;

// Callers with a connection each.
template <class Calls>
struct Own {
  PostgresFloor by;
  Calls calls;
};

template <class Calls>
std::vector<std::unique_ptr<Own<Calls>>> own_of(const std::string& url, const std::vector<Calls>& calls) {
  std::vector<std::unique_ptr<Own<Calls>>> own;
  for (const Calls& it : calls) {
    own.push_back(std::make_unique<Own<Calls>>(Own<Calls>{PostgresFloor(url), it}));
    Calls::prepare(own.back()->by);
  }
  return own;
}

template <class Calls>
Crowd crowd_of(std::vector<std::unique_ptr<Own<Calls>>>& own, int cycles) {
  return {own.size(), [&own, cycles](std::size_t i) {
            for (int k = 0; k < cycles; ++k) {
              own[i]->by.call(own[i]->calls.acquire());
              own[i]->by.call(own[i]->calls.release());
            }
          }};
}

// One thread that keeps as many statements under way on one connection.
template <class Calls>
void pipelined(PostgresFloor& by, std::vector<Calls>& calls, int cycles) {
  for (int i = 0; i < cycles; ++i) {
    const char* granted = nullptr;
    for (Calls& it : calls) {
      const Prepared acquire = it.acquire();
      granted = acquire.expected;
      by.send(acquire);
    }
    for (std::size_t k = 0; k < calls.size(); ++k) by.receive(granted);
    for (const Calls& it : calls) by.send(it.release());
    for (const Calls& it : calls) by.receive(it.release().expected);
  }
}

template <class Calls>
std::unique_ptr<PostgresFloor> pipeline(const std::string& url) {
  auto by = std::make_unique<PostgresFloor>(url);
  Calls::prepare(*by);
  by->begin_pipeline();
  return by;
}

template <class Calls>
std::vector<Calls> insert_deletes(const std::string& prefix) {
  std::vector<Calls> all;
  for (int i = 0; i < callers; ++i) all.emplace_back(prefix + std::to_string(i));
  return all;
}

std::vector<SameFunctions> same_functions(const std::string& prefix, const std::string& epoch) {
  std::vector<SameFunctions> all;
  for (int i = 0; i < callers; ++i) all.emplace_back(prefix + std::to_string(i), epoch);
  return all;
}

std::vector<Lock> locks_of(const Client& client, const std::string& prefix) {
  std::vector<Lock> locks;
  for (int i = 0; i < callers; ++i) locks.push_back(client.lock(prefix + std::to_string(i)));
  return locks;
}

constexpr const char* note =
    "64 callers at the same time; each statement is a transaction of its own, and all wait for both answers. "
    "A and C are 64 threads, each on a connection of its own: 64 processes of the server, whose commits "
    "share their writes to the disk. B and D are one thread that keeps 64 statements under way on one "
    "connection, where each commit follows the one before. A and B insert a row and delete it, without token "
    "or queue; C and D call Tenure's own functions. No release of Tenure waits for the disk, so E is A with "
    "a DELETE that does not either, by a setting that takes a moment itself: the goal is set against E where "
    "commits are on disk, and otherwise against A. Tenure's callers are 64 threads that block, and its "
    "callbacks one thread, each on one client, which has one connection as well: grants that come together "
    "are committed without waiting, and a statement behind them waits for all. The advisory lock writes "
    "nothing, and each of its callers has "
    "a connection of its own.";

void add_row(Rows& rows, Commits commits, Stage& stage) {
  const auto database = Database::start(stage, commits);
  if (!database) return;
  const std::string url = database->url();
  const int cycles = stage.quick() ? 5 : 10;  // of each caller in a block
  const double work = 1.0 * callers * cycles;
  auto own = own_of(url, insert_deletes<InsertDelete>("own"));
  auto own_sooner = own_of(url, insert_deletes<InsertDeleteSooner>("sooner"));
  auto own_same = own_of(url, same_functions("own", database->epoch()));
  Crowd threads = crowd_of(own, cycles);
  Crowd sooner_threads = crowd_of(own_sooner, cycles);
  Crowd same_threads = crowd_of(own_same, cycles);
  const auto one = pipeline<InsertDelete>(url);
  const auto one_same = pipeline<SameFunctions>(url);
  auto pipe = insert_deletes<InsertDelete>("pipe");
  auto same_pipe = same_functions("pipe", database->epoch());
  const Client client = database->open();
  const auto locks = locks_of(client, "t");
  Crowd blocking(callers, [&](std::size_t i) {
    for (int k = 0; k < cycles; ++k) {
      auto lease = expect(locks[i].try_acquire());
      expect(lease.release());
    }
  });
  const auto other_locks = locks_of(client, "e");
  Callbacks callbacks(client, other_locks, cycles);
  const auto block = [](auto& all) { return [&all] { return timed([&all] { all.block(); }); }; };
  const auto piped = [&](PostgresFloor& by, auto& calls) {
    return [&by, &calls, cycles] { return timed([&] { pipelined(by, calls, cycles); }); };
  };
  constexpr const char* with_sooner = "E  64 threads, INSERT, DELETE that waits for no disk";
  Row row{row_id("postgresql-many", commits),
          "PostgreSQL: acquire and release, 64 callers with names of their own, " + to_text(commits), note,
          time_column};
  std::vector<Contestant> all{
      {"A  64 threads, INSERT, DELETE", Kind::floor, block(threads), work},
      {"B  64 pipelined, INSERT, DELETE", Kind::floor, piped(*one, pipe), work},
      {"C  64 threads, the same functions", Kind::floor, block(same_threads), work},
      {"D  64 pipelined, the same functions", Kind::floor, piped(*one_same, same_pipe), work},
      {with_sooner, Kind::floor, block(sooner_threads), work},
      {"Tenure", Kind::tenure, block(blocking), work},
      {"Tenure, callbacks", Kind::tenure, block(callbacks), work}};
  const auto peers = stage.postgres_peers(database->server());
  for (const auto& peer : peers) all.push_back(cycles_of(*peer, callers));
  row.entries = measure(all, stage.rounds());
  const bool on_disk = commits == Commits::on_disk;
  const std::string alike = on_disk ? with_sooner : row.entries[0].name;
  const auto blocked = row.speed("Tenure", alike);
  const auto called_back = row.speed("Tenure, callbacks", alike);
  constexpr const char* why =
      "The floor has 64 processes of the server work for it; all of a client's requests go through one "
      "connection, and so to one process. Needed would be several connections for a client.";
  row.goals = {{std::string("the faster of Tenure's ways: speed / ") + (on_disk ? "E's" : "A's"),
                std::max(blocked, called_back), Goal::Side::at_least, 0.8, Unit::times, why}};
  rows.push_back(std::move(row));
}

}  // namespace

Rows postgresql_many_callers(Stage& stage) {
  Rows rows;
  for (const Commits commits : {Commits::on_disk, Commits::sooner}) add_row(rows, commits, stage);
  return rows;
}

}  // namespace tenure::bench
