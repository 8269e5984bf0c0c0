// tenure.holds() and tenure.fence() inside the transaction that writes: a name does not change hands under it.
#include <gtest/gtest.h>

#include <future>

#include "postgres/contender.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

class Fencing : public testing::Test {
 protected:
  Fencing() {
    set_up(server);
    server.execute("CREATE TABLE work (by text)");
    server.execute("GRANT ALL ON work TO tenure");
  }

  static std::string call(const std::string& function, const std::string& name, core::Token token) {
    return "SELECT tenure." + function + "('" + name + "', " + std::to_string(token) + ")";
  }
  static std::string holds(Application& one, core::Token token, const std::string& name = "job") {
    return one.query(call("holds", name, token));
  }
  std::string written() { return server.query("SELECT string_agg(by, ',' ORDER BY by) FROM work"); }
  // As when its time has come.
  void run_out(const std::string& name = "job") {
    server.execute(
        "SET lock_timeout = '5s'; UPDATE tenure.lease SET ends = clock_timestamp() WHERE name = '" + name +
        "'");
  }
  // The holder gives it back, and the rival has it.
  void hand_over() {
    ASSERT_EQ(holder.release(), "done");
    ASSERT_EQ(rival.acquire(), "granted");
  }

  PostgresServer server;
  Contender holder{server};
  Contender rival{server, "web-2"};
  Application writer{server.url()};
};

TEST_F(Fencing, AWriteGoesThroughWhileItsTokenHoldsTheNameAndIsNotThereOtherwise) {
  ASSERT_EQ(holder.acquire(), "granted");
  writer.query("BEGIN");
  writer.query(call("fence", "job", holder.token()));
  writer.query("INSERT INTO work VALUES ('in time')");
  writer.query("COMMIT");
  EXPECT_EQ(written(), "in time");

  hand_over();
  writer.query("BEGIN");
  writer.query("INSERT INTO work VALUES ('late')");
  const std::string refused = writer.error(call("fence", "job", holder.token()));
  EXPECT_NE(refused.find("(TN002)"), std::string::npos) << refused;
  EXPECT_NE(refused.find("does not hold job"), std::string::npos) << refused;
  writer.query("COMMIT");  // which is a rollback by now
  EXPECT_EQ(written(), "in time");
  EXPECT_EQ(holds(writer, holder.token()), "f");
  EXPECT_EQ(holds(writer, rival.token()), "t");

  run_out();
  EXPECT_EQ(holds(writer, rival.token()), "f") << "also where nobody else has taken it";
}

// The lease may run out while the transaction is open: then whoever takes the name next waits for its end.
TEST_F(Fencing, ANameDoesNotChangeHandsUnderATransactionThatHasAsked) {
  ASSERT_EQ(holder.acquire(), "granted");
  writer.query("BEGIN");
  ASSERT_EQ(holds(writer, holder.token()), "t");
  EXPECT_EQ(rival.acquire(), "held by web-1") << "what only has to be seen waits for nobody";
  run_out();
  EXPECT_EQ(rival.acquire(), "busy");
  EXPECT_EQ(rival.failure().applied, core::Applied::no);
  EXPECT_EQ(rival.wait(), "busy");
  EXPECT_EQ(rival.acquire("another"), "granted") << "on the same connection";
  writer.query("INSERT INTO work VALUES ('web-1')");
  writer.query("COMMIT");
  EXPECT_EQ(written(), "web-1");
  EXPECT_EQ(rival.acquire(), "granted");
}

TEST_F(Fencing, AnOpenTransactionIsInTheWayOfNothingButTheNextHolder) {
  ASSERT_EQ(holder.acquire(), "granted");
  writer.query("BEGIN");
  ASSERT_EQ(holds(writer, holder.token()), "t");
  EXPECT_EQ(holder.renew(), "done");
  EXPECT_EQ(holder.reassert(), "done");
  EXPECT_EQ(rival.wait(), "held by web-1");
  Application second(server.url());
  EXPECT_EQ(holds(second, holder.token()), "t") << "several may ask at the same time";
  EXPECT_EQ(holder.release(), "done");
  EXPECT_EQ(rival.acquire(), "busy");
  writer.query("ROLLBACK");
  EXPECT_EQ(rival.acquire(), "granted");
}

// A writer that hangs keeps the name for as long as its transaction is open, and the server can end that. Its lease is another matter.
TEST_F(Fencing, ATransactionThatIsIdleForTooLongIsRefusedAndTheLeaseGoesOn) {
  server.execute("ALTER ROLE tenure SET idle_in_transaction_session_timeout = '200ms'");
  Contender client(server);
  Application hanging(server.url());
  ASSERT_EQ(client.acquire(), "granted");
  const std::string pid = hanging.pid();
  hanging.query("BEGIN");
  hanging.query(call("fence", "job", client.token()));
  hanging.query("INSERT INTO work VALUES ('web-1')");
  ASSERT_TRUE(wait_until(
      [&] { return server.query("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == "0"; }));
  const std::string refused = hanging.error("COMMIT");
  EXPECT_NE(refused.find("idle-in-transaction timeout"), std::string::npos) << refused;
  EXPECT_EQ(written(), "");

  EXPECT_EQ(client.renew(), "done") << client.failure().detail;
  EXPECT_EQ(holds(writer, client.token()), "t");
  EXPECT_EQ(rival.acquire(), "held by web-1");
  EXPECT_EQ(client.release(), "done");
  EXPECT_EQ(rival.acquire(), "granted") << "nothing keeps the name from changing hands any more";
}

// A snapshot from before the hand-over still shows the old holder. Neither it nor a later renewal may hide that.
TEST_F(Fencing, ASnapshotFromBeforeTheHandOverDoesNotHoldTheName) {
  for (const char* level : {"REPEATABLE READ", "SERIALIZABLE"}) {
    for (const bool renewed_since : {false, true}) {
      ASSERT_EQ(holder.acquire(), "granted");
      writer.query(std::string("BEGIN ISOLATION LEVEL ") + level);
      writer.query("INSERT INTO work VALUES ('web-1')");  // its snapshot is of here
      if (renewed_since) {
        ASSERT_EQ(holder.renew(), "done");
      }
      hand_over();
      const std::string refused = writer.error(call("fence", "job", holder.token()));
      EXPECT_NE(refused.find("could not serialize access"), std::string::npos) << level << ": " << refused;
      writer.query("COMMIT");
      ASSERT_EQ(rival.release(), "done");
    }
    // Where it was only renewed since, that does not make it fail.
    ASSERT_EQ(holder.acquire(), "granted");
    writer.query(std::string("BEGIN ISOLATION LEVEL ") + level);
    writer.query("SELECT * FROM work");
    ASSERT_EQ(holder.renew(), "done");
    EXPECT_EQ(holds(writer, holder.token()), "t") << level;
    EXPECT_EQ(holder.renew(), "done");
    EXPECT_EQ(holder.release(), "done");
    EXPECT_EQ(rival.acquire(), "busy") << level;
    writer.query("COMMIT");
  }
  EXPECT_EQ(written(), "");
}

// What hides it from PostgreSQL: the row is locked for a little while others share it, and then for more, in one transaction.
class SharedRow : public Fencing {
 protected:
  // The writer has an old snapshot, its lease was renewed since, and another transaction of the holder has asked as well.
  void begin() {
    ASSERT_EQ(holder.acquire(), "granted");
    writer.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    writer.query("SELECT * FROM work");
    ASSERT_EQ(holder.renew(), "done");
    sharer.query("BEGIN");
    ASSERT_EQ(holds(sharer, holder.token()), "t");
  }
  void expect_that_the_writer_is_refused() {
    const std::string refused = writer.error(call("fence", "job", holder.token()));
    EXPECT_NE(refused.find("could not serialize access"), std::string::npos) << refused;
  }

  Application sharer{server.url()};
};

TEST_F(SharedRow, AWaiterThatFindsTheNameGivenBackAtThatMomentIsSeenByOldSnapshots) {
  begin();
  Application giver(server.url());
  giver.query("BEGIN");
  giver.query("UPDATE tenure.lease SET ends = '-infinity' WHERE name = 'job'");  // as a release does
  auto waits = std::async(std::launch::async, [this] { return rival.wait(); });
  ASSERT_TRUE(waits_for_a_lock(server, "tenure.acquire"));
  giver.query("COMMIT");
  sharer.query("COMMIT");
  // Perhaps it was sent away for a moment.
  if (waits.get() != "granted") {
    ASSERT_EQ(rival.wait(), "granted");
  }
  expect_that_the_writer_is_refused();
}

TEST_F(SharedRow, AGrantThatIsPutBackOverAnOlderOneIsSeenByOldSnapshots) {
  ASSERT_EQ(rival.acquire("elsewhere"), "granted");
  begin();
  // The data went back to before a hand-over: the rival's grant of that name came after the holder's.
  server.execute("UPDATE tenure.record SET open = false, why = 'restored'");
  const core::Holding back{"job", core::Grant("web-2", 7), holder.token() + 5};
  const core::ReassertRequest put_back{long_enough, false, {back}};
  ASSERT_EQ(said(rival.ask(put_back)), "locked");
  sharer.query("COMMIT");
  ASSERT_EQ(said(rival.ask(put_back)), "done");
  expect_that_the_writer_is_refused();
}

// Locks are kept under their prefix, elections under their name alone. A token holds one of both.
TEST_F(Fencing, LocksAndElectionsAreAskedForByTheNameThatTheyWereGivenToTenureBy) {
  ASSERT_EQ(holder.acquire("redlock:job"), "granted");
  ASSERT_EQ(rival.acquire("job"), "granted");
  const core::Token lock = holder.token("redlock:job");
  const core::Token election = rival.token("job");
  EXPECT_EQ(holds(writer, lock, "job"), "t");
  EXPECT_EQ(holds(writer, election, "job"), "t");
  EXPECT_EQ(holds(writer, lock, "redlock:job"), "t");
  EXPECT_EQ(holds(writer, election, "redlock:job"), "f");
  EXPECT_EQ(holds(writer, election + 100, "job"), "f");
  EXPECT_EQ(holds(writer, lock, "another"), "f");
}

}  // namespace
}  // namespace tenure::test
