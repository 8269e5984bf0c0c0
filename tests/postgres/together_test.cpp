// Grants that come together are written to the disk together, and nobody is told of one before it is there. What a commit waits for is
// played here by a standby that never comes: pg_cancel_backend() ends the wait as if it had.
#include <gtest/gtest.h>

#include "postgres/contender.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto durable = "&options=-csynchronous_commit%3Don";
constexpr auto forbid = "REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC";

class Together : public testing::Test {
 protected:
  Together() {
    set_up(server);
    Contender before(server, "before");
    for (int i = 0; i < names; ++i) {
      before.acquire(name(i));
      before.release(name(i));
    }
  }

  static std::string name(int i) { return "job" + std::to_string(i); }

  std::vector<core::RequestId> begin_all(Contender& client) {
    std::vector<core::RequestId> begun;
    for (int i = 0; i < names; ++i) begun.push_back(client.begin_to_acquire(name(i)));
    return begun;
  }
  // By a request that commits nothing.
  static void connect(Contender& client) {
    ASSERT_EQ(client.said_to(core::LookRequest{{"job"}}), "1 states");
  }
  static std::future<std::string> all_said(Contender& client, const std::vector<core::RequestId>& begun) {
    return std::async(std::launch::async, [&] {
      std::string said;
      for (const core::RequestId it : begun) said += client.said_at_last(it) + " ";
      return said;
    });
  }
  static std::string all_granted() {
    std::string all;
    for (int i = 0; i < names; ++i) all += "granted ";
    return all;
  }
  bool waits_for_the_standby(const std::string& statement) {
    return wait_until([&] { return server.query("SELECT count(*) " + waiting(statement)) == "1"; });
  }
  void let_go(const std::string& statement) {
    server.query("SELECT pg_cancel_backend(pid) " + waiting(statement));
  }
  int taken() {
    return std::stoi(
        server.query("SELECT count(*) FROM tenure.lease WHERE owner = 'web-1' AND ends > now()"));
  }

  static constexpr int names = 20;
  static constexpr auto settle = "pg_logical_emit_message";
  PostgresServer server{{.settings = {"synchronous_commit=local", "synchronous_standby_names=nobody"}}};

 private:
  static std::string waiting(const std::string& statement) {
    return "FROM pg_stat_activity WHERE usename = 'tenure' AND wait_event = 'SyncRep' AND query LIKE '%" +
           statement + "%'";
  }
};

// All are asked when the connection is there: in one go.
TEST_F(Together, GrantsThatAreAskedInOneGoWaitOnce) {
  Contender client(server.url() + durable);
  const auto begun = begin_all(client);
  auto all = all_said(client, begun);
  ASSERT_TRUE(waits_for_the_standby(settle));
  EXPECT_EQ(taken(), names) << "committed, and nobody knows";
  let_go(settle);
  EXPECT_EQ(all.get(), all_granted());
  for (int i = 1; i < names; ++i) EXPECT_GT(client.token(name(i)), client.token(name(i - 1)));
}

TEST_F(Together, GrantsThatAreAskedWhileOneWaitsWaitOnceMore) {
  Contender client(server.url() + durable);
  connect(client);
  const auto begun = begin_all(client);
  auto all = all_said(client, begun);
  ASSERT_TRUE(waits_for_the_standby("tenure.acquire"));
  let_go("tenure.acquire");
  ASSERT_TRUE(waits_for_the_standby(settle));
  EXPECT_EQ(taken(), names);
  let_go(settle);
  EXPECT_EQ(all.get(), all_granted());
}

TEST_F(Together, NobodyIsToldOfAGrantThatACrashMayForget) {
  Contender client(server.url() + durable);
  connect(client);
  const auto begun = begin_all(client);
  auto first = std::async(std::launch::async, [&] { return client.said_at_last(begun.front()); });
  ASSERT_TRUE(waits_for_the_standby("tenure.acquire"));
  let_go("tenure.acquire");
  EXPECT_EQ(first.get(), "granted");
  auto others = std::async(std::launch::async, [&] { return client.said_at_last(begun[1]); });
  ASSERT_TRUE(waits_for_the_standby(settle));
  EXPECT_EQ(taken(), names);
  server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  EXPECT_EQ(others.get(), "closed");
  for (int i = 2; i < names; ++i) {
    EXPECT_EQ(client.said_at_last(begun[static_cast<std::size_t>(i)]), "closed");
    EXPECT_EQ(client.failure().applied, core::Applied::perhaps);
  }
}

// Each is settled by what follows it, also where that is the end of the session's admission.
TEST_F(Together, AnotherEpochMeanwhileLeavesNoGrantUntold) {
  Contender client(server);
  ASSERT_EQ(client.acquire("first"), "granted");
  server.execute("UPDATE tenure.record SET epoch = 'another'");
  const auto begun = begin_all(client);
  for (const core::RequestId it : begun) EXPECT_EQ(client.said_at_last(it), "open: new");
  const auto again = begin_all(client);
  for (const core::RequestId it : again) EXPECT_EQ(client.said_at_last(it), "granted");
}

TEST_F(Together, AServerThatDoesNotLetUsWaitForAllIsAskedForEachAlone) {
  server.execute(forbid);
  Contender client(server);
  connect(client);
  const auto begun = begin_all(client);
  EXPECT_EQ(client.said_at_last(begun.front()), "granted");
  EXPECT_EQ(client.said_at_last(begun.back()), "no permission");
  EXPECT_EQ(client.failure().applied, core::Applied::perhaps);
  server.execute("UPDATE tenure.lease SET ends = '-infinity'");
  const auto again = begin_all(client);
  for (const core::RequestId it : again) EXPECT_EQ(client.said_at_last(it), "granted");
}

TEST(ForgetfulServer, IsAskedForNothingThatWaitsForTheDisk) {
  const PostgresServer server({.settings = {"synchronous_commit=off"}});
  set_up(server);
  server.execute(forbid);
  Contender client(server);
  const auto one = client.begin_to_acquire("one");
  const auto two = client.begin_to_acquire("two");
  EXPECT_EQ(client.said_at_last(one), "granted");
  EXPECT_EQ(client.said_at_last(two), "granted");
}

}  // namespace
}  // namespace tenure::test
