// What two transactions do to each other where a script in Redis is alone.
#include <gtest/gtest.h>

#include <thread>

#include "postgres/contender.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class Interleaving : public testing::Test {
 protected:
  Interleaving() { set_up(server); }

  // Of a lease, as a client of that epoch asks for it inside its own transaction.
  std::string acquire(const std::string& name, int nonce) {
    return "SELECT tenure.acquire('tenure:', 60000, '1', (SELECT epoch FROM tenure.record), 0, '" + name +
           "', 'web-2', " + std::to_string(nonce) + ", 60000, 0, NULL, NULL)";
  }

  PostgresServer server;
};

// Nobody has had the name yet: there is no row that could be locked.
TEST_F(Interleaving, ABreakLeavesAGrantAloneThatIsCommittedWhileItLooks) {
  Application other(server.url());
  Application breaker(server.url());
  other.query("BEGIN");
  EXPECT_EQ(other.query(acquire("job", 7)).substr(0, 8), "granted ");
  auto broken = breaker.query_later("SELECT tenure.break('job', 'web-1', 1, 'broken by me', 9, 5, 1000)");
  ASSERT_TRUE(waits_for_a_lock(server, "tenure.break"));
  other.query("COMMIT");
  EXPECT_EQ(broken.get(), "-1");
  EXPECT_EQ(
      server.query("SELECT owner FROM tenure.lease WHERE name = 'job' AND ends > now() + interval '30 s'"),
      "web-2");
}

// A new name may have to wait for the disk, or for somebody who makes the same: that is no transaction that stands in the way.
TEST_F(Interleaving, ANameThatIsNewWaitsLongerForItsRowThanForSomebodysLock) {
  Application other(server.url());
  Contender client(server);
  ASSERT_EQ(client.acquire("another"), "granted");
  other.query("BEGIN");
  other.query("INSERT INTO tenure.lease (name) VALUES ('job')");
  const auto asked = client.begin_to_acquire();
  ASSERT_TRUE(waits_for_a_lock(server, "tenure.acquire"));
  std::this_thread::sleep_for(300ms);
  other.query("COMMIT");
  EXPECT_EQ(client.said_at_last(asked), "granted") << client.failure().detail;
}

// The quick way passes by a row that somebody has locked, and must hold nothing while it waits behind that.
TEST_F(Interleaving, WhoWaitsForANameHoldsUpNobodyWhoRaisesTheCounter) {
  Contender client(server);
  ASSERT_EQ(client.acquire(), "granted");
  ASSERT_EQ(client.release(), "done");
  Application other(server.url());
  Application waiting(server.url());
  other.query("BEGIN");
  other.query("SELECT FROM tenure.lease WHERE name = 'job' FOR UPDATE");
  auto refused = std::async(std::launch::async, [&] { return waiting.error(acquire("job", 7)); });
  ASSERT_TRUE(waits_for_a_lock(server, "tenure.acquire"));
  EXPECT_EQ(server.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"), "0");
  other.query("COMMIT");
  refused.get();
}

TEST_F(Interleaving, ANameThatWasGivenBackAMomentAgoIsNotSwept) {
  Contender client(server);
  server.execute(
      "INSERT INTO tenure.lease (name) SELECT repeat('x', 400) || i FROM generate_series(1, 400) i");
  ASSERT_EQ(client.acquire(), "granted");
  ASSERT_EQ(client.release(), "done");
  server.execute("DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM tenure.clock(); END LOOP; END $$");
  EXPECT_EQ(server.query("SELECT count(*) FROM tenure.lease WHERE name = 'job'"), "1");
  EXPECT_LT(std::stoi(server.query("SELECT count(*) FROM tenure.lease")), 400) << "of the others some are";
}

// Over several nodes the token of a grant may be the first that a counter hears of after it was lost.
TEST_F(Interleaving, AConfirmedTokenDoesNotHideThatTheCounterWasLost) {
  Contender client(server);
  ASSERT_EQ(client.acquire("other"), "granted");
  const core::Token before = client.token("other");
  ASSERT_EQ(client.acquire(), "granted");
  server.execute("SELECT setval('tenure.fence', 3)");
  const core::Token small = 1'500'000'000'000'000;
  EXPECT_EQ(client.said_to(core::ConfirmRequest{"job", client.holding().grant, small}), "done");
  Contender stranger(server, "web-9");
  ASSERT_EQ(stranger.acquire("third"), "granted");
  EXPECT_GT(stranger.token("third"), before);
}

}  // namespace
}  // namespace tenure::test
