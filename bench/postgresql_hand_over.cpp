// A lock on PostgreSQL that its owner gives back, until the next has it.
#include "benches.hpp"
#include "postgresql.hpp"
#include "relayed.hpp"

namespace tenure::bench {

namespace {

void add_row(Rows& rows, std::size_t waiters, Stage& stage) {
  constexpr Commits commits = Commits::sooner;
  const auto database = Database::start(stage, commits);
  if (!database) return;
  const std::size_t participants = waiters + 1;
  const auto open = [&] { return database->open(); };
  const ByTenure apart(open, "apart", participants, ByTenure::Clients::one_each);
  const ByTenure together(open, "together", participants, ByTenure::Clients::one);
  const ByTenure scopes(open, "scopes", participants, ByTenure::Clients::one_each,
                        ByTenure::Ends::with_scope);
  const std::size_t times = participants * (waiters == 1 ? 100 : 20);
  const auto block = [&](const ByTenure& by) { return [&by, times] { return pass_on(by.all(), times); }; };
  const std::string ours = "Tenure, a client each";
  Row row{
      "postgresql-hand-over-" + std::to_string(waiters),
      "PostgreSQL: hand-over of a lock, " + std::to_string(waiters) +
          (waiters == 1 ? " waiter, " : " waiters, ") + to_text(commits),
      "So many wait, one holds: each holds the lock for a millisecond, gives it back, and asks again when "
      "the next one has it. Measured is from just before the release to the return of the next owner's "
      "acquire. *In order* is the share of hand-overs to who had asked first; *fairness* is 1 where all got "
      "it as often. *A scope ends* is an owner whose release is sent by the destructor of its lease, which "
      "waits for no answer. A waiter of Tenure is told by NOTIFY, and then asks: two transactions. A waiter "
      "for the advisory lock sleeps in a statement that has not ended, with a connection and a process of "
      "the server for itself; when the lock is free, the statement ends. It writes nothing.",
      "p99"};
  std::vector<Relayed> all{{ours, Kind::tenure, block(apart)},
                           {"Tenure, a client each, a scope ends", Kind::tenure, block(scopes)},
                           {"Tenure, one client for all", Kind::tenure, block(together)}};
  const auto peers = stage.postgres_peers(database->server());
  for (const auto& peer : peers) all.push_back(relayed_by(*peer, waiters, static_cast<int>(times)));
  row.entries = measure(all, stage.quick() ? 1 : 3);
  row.goals = {{"p99 of a client each / the advisory lock's", row.speed("PostgreSQL advisory lock", ours),
                Goal::Side::at_most, 3, Unit::times,
                "The advisory lock's release hands the lock to the waiter's own process, which only has to "
                "answer. Tenure's commits the next owner's turn, is told, asks, and commits again. Needed "
                "would be a turn that is a grant already, to a waiter that may be dead."}};
  rows.push_back(std::move(row));
}

}  // namespace

Rows postgresql_hand_over(Stage& stage) {
  Rows rows;
  for (const std::size_t waiters : {1U, 16U}) add_row(rows, waiters, stage);
  return rows;
}

}  // namespace tenure::bench
