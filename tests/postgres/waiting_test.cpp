// Who waits for a name on a real server: dead waiters, their order, and that nobody is notified who does not wait.
#include <gtest/gtest.h>

#include "postgres/contender.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// A client that listens, and waits for the name "job".
struct Waiter {
  Waiter(const PostgresServer& server, const std::string& owner)
      : node(node_at(server.url())), hearing(node, node->wake_ups(owner)), client(node, owner) {}

  // When it is to look, as it is told next; nothing: it is told nothing, or about somebody else.
  std::optional<core::Duration> called() {
    const auto message = hearing.next();
    const auto* wake_up = message ? std::get_if<runtime::WakeUp>(&*message) : nullptr;
    if (wake_up == nullptr || wake_up->ticket.owner() != client.owner()) return std::nullopt;
    return wake_up->after;
  }

  std::shared_ptr<runtime::Node> node;
  Hearing hearing;
  Contender client;
};

class Waiting : public testing::Test {
 protected:
  explicit Waiting(std::vector<std::string> settings = {}) : server({.settings = std::move(settings)}) {
    set_up(server);
  }
  std::string waiters() {
    return server.query("SELECT string_agg(owner, ',' ORDER BY place) FROM tenure.waiter");
  }

  PostgresServer server;
  Contender holder{server, "holder"};
};

TEST_F(Waiting, AWaiterWhoseSessionEndedIsSkippedAndLosesItsPlace) {
  ASSERT_EQ(holder.acquire(), "granted");
  Waiter dead(server, "dead");
  const std::string pid = server.query("SELECT pid FROM pg_locks WHERE locktype = 'advisory'");
  ASSERT_EQ(dead.client.wait(), "held by holder");
  Waiter alive(server, "alive");
  ASSERT_EQ(alive.client.wait(), "held by holder");
  ASSERT_EQ(waiters(), "dead,alive");

  server.execute("SELECT pg_terminate_backend(" + pid + ")");
  ASSERT_TRUE(
      wait_until([&] { return server.query("SELECT count(*) FROM pg_locks WHERE pid = " + pid) == "0"; }));
  EXPECT_EQ(holder.release(), "done");
  EXPECT_EQ(alive.called(), 0ms);
  EXPECT_EQ(waiters(), "");
  EXPECT_EQ(alive.client.wait(), "granted");
  EXPECT_EQ(dead.client.wait(), "held by alive") << "it lives all the same, and begins at the end";
  EXPECT_EQ(waiters(), "dead");
}

TEST_F(Waiting, WhoListensIsServedInTheOrderInWhichTheyCame) {
  ASSERT_EQ(holder.acquire(), "granted");
  Waiter first(server, "first");
  Waiter second(server, "second");
  Waiter third(server, "third");
  for (Waiter* it : {&first, &second, &third}) ASSERT_EQ(it->client.wait(), "held by holder");

  ASSERT_EQ(holder.release(), "done");
  EXPECT_EQ(first.called(), 0ms);
  EXPECT_EQ(second.called(), 250ms) << "in case the first is stopped";
  EXPECT_EQ(third.called(), 500ms);
  EXPECT_EQ(first.client.wait(), "granted");

  ASSERT_EQ(first.client.release(), "done");
  EXPECT_EQ(second.called(), 0ms);
  EXPECT_EQ(third.called(), 250ms);
  EXPECT_EQ(second.client.wait(), "granted");
  ASSERT_EQ(second.client.release(), "done");
  EXPECT_EQ(third.called(), 0ms);
  EXPECT_EQ(third.client.wait(), "granted");
  EXPECT_GT(third.client.token(), second.client.token());
  EXPECT_GT(second.client.token(), first.client.token());
}

// A NOTIFY makes commits of the whole server wait for each other: what sends it is tenure.tell alone, and it is not reached.
class Counted : public Waiting {
 protected:
  Counted() : Waiting({"track_functions=all"}) {}
  // Sessions say what they have called when they end.
  std::string calls_of(const std::string& function) {
    return server.query(
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE schemaname = 'tenure' AND funcname "
        "= '" +
        function + "'");
  }
  void end_all_sessions() {
    server.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'tenure'");
    ASSERT_EQ(server.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'tenure'"), "0");
  }
};

TEST_F(Counted, AReleaseThatNobodyWaitsForNotifiesNobody) {
  Waiter waiter(server, "web-2");
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(holder.acquire(), "granted");
    ASSERT_EQ(waiter.client.acquire(), "held by holder") << "who asks once does not wait";
    ASSERT_EQ(holder.release(), "done");
  }
  end_all_sessions();
  EXPECT_EQ(calls_of("release"), "3");
  EXPECT_EQ(calls_of("tell"), "0");
}

TEST_F(Counted, AReleaseThatSomebodyWaitsForNotifiesOnce) {
  Waiter waiter(server, "web-2");
  ASSERT_EQ(holder.acquire(), "granted");
  ASSERT_EQ(waiter.client.wait(), "held by holder");
  ASSERT_EQ(holder.release(), "done");
  ASSERT_EQ(waiter.called(), 0ms);
  ASSERT_EQ(waiter.client.wait(), "granted");
  // The queue is empty again.
  ASSERT_EQ(waiter.client.release(), "done");
  ASSERT_EQ(holder.acquire(), "granted");
  ASSERT_EQ(holder.release(), "done");
  end_all_sessions();
  EXPECT_EQ(calls_of("release"), "3");
  EXPECT_EQ(calls_of("tell"), "1");
}

}  // namespace
}  // namespace tenure::test
