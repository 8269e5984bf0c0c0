// Results of polls, where they meet what only a database has: transactions, encodings, other rows.
#include <gtest/gtest.h>

#include "postgres/contender.hpp"
#include "postgres/net/asked_server.hpp"
#include "postgres/poll/postgres_results.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using poll::Publish;
using poll::Published;
using poll::Unstorable;

class ResultsInPostgres : public testing::Test {
 protected:
  ResultsInPostgres() { set_up(server); }
  std::unique_ptr<poll::ResultStore> results() const {
    return std::make_unique<postgres::PostgresResults>(
        postgres::server_at(postgres::parse_url(server.url()).value(), 10s),
        postgres::PostgresResults::Place{"poll", false});
  }
  static SessionLease lease_of(const std::string& key, core::Token token) {
    SessionLease lease;
    lease.key = key;
    lease.token = token;
    return lease;
  }

  PostgresServer server;
};

// S8: whoever is granted the name next has a result of the former owner behind it, and none that comes later.
TEST_F(ResultsInPostgres, NobodyIsGrantedANameWhileAResultUnderItIsBeingCommitted) {
  Application publishing(server.url());
  Contender owner(server, "owner");
  ASSERT_EQ(owner.acquire("poll:lease:s", core::Ttl(2'000)), "granted");
  publishing.query("BEGIN");
  ASSERT_EQ(publishing.query("SELECT tenure.publish('poll', '{s}', '{poll:lease:s}', '{" +
                             std::to_string(owner.token("poll:lease:s")) + "}', '{x}', '{1}', '{1}')"),
            "{1}");
  ASSERT_TRUE(
      wait_until([&] { return server.query("SELECT ends < clock_timestamp() FROM tenure.lease") == "t"; }));
  Contender next(server, "next");
  auto granted = std::async(std::launch::async, [&] { return next.acquire("poll:lease:s"); });
  ASSERT_TRUE(waits_for_a_lock(server, "tenure.acquire"));
  publishing.query("COMMIT");
  EXPECT_EQ(granted.get(), "granted");
  EXPECT_EQ(publishing.query("SELECT tenure.publish('poll', '{s}', '{poll:lease:s}', '{" +
                             std::to_string(owner.token("poll:lease:s")) + "}', '{y}', '{1}', '{1}')"),
            "{0}");
  EXPECT_EQ(server.query("SELECT text FROM tenure.state"), "x");
}

TEST_F(ResultsInPostgres, OneWhoseLeaseSomebodyHasLockedIsStoredLaterAndTheOthersNow) {
  Contender owner(server, "owner");
  ASSERT_EQ(owner.acquire("poll:lease:a", core::Ttl(60'000)), "granted");
  ASSERT_EQ(owner.acquire("poll:lease:b", core::Ttl(60'000)), "granted");
  const auto store = std::make_unique<postgres::PostgresResults>(
      postgres::server_at(postgres::parse_url(server.url()).value(), 10s),
      postgres::PostgresResults::Place{"poll", true});
  const std::vector<poll::ResultRequest> both{
      Publish{"a", lease_of("poll:lease:a", owner.token("poll:lease:a")), "{}", {}, {}},
      Publish{"b", lease_of("poll:lease:b", owner.token("poll:lease:b")), "{}", {}, {}}};
  Application other(server.url());
  other.query("BEGIN");
  other.query("SELECT FROM tenure.lease WHERE name = 'poll:lease:a' FOR UPDATE");
  auto replies = store->ask(both);
  EXPECT_TRUE(std::holds_alternative<poll::NoAnswer>(replies.at(0)));
  EXPECT_EQ(std::get<Published>(replies.at(1)), Published::stored);
  EXPECT_EQ(server.query("SELECT string_agg(id, ' ') FROM tenure.state"), "b");
  other.query("ROLLBACK");
  replies = store->ask(both);
  EXPECT_EQ(std::get<Published>(replies.at(0)), Published::stored);
  other.query("BEGIN");
  other.query("UPDATE tenure.lease SET ends = clock_timestamp() WHERE name = 'poll:lease:a'");
  other.query("COMMIT");
  EXPECT_EQ(std::get<Published>(store->ask(both).at(0)), Published::lease_gone);
}

TEST_F(ResultsInPostgres, OneThatCannotBeStoredDoesNotKeepOthersFromIt) {
  const auto store = results();
  std::vector<poll::ResultRequest> requests;
  for (const char* text : {"a", "b\xff", "c"}) {
    requests.emplace_back(Publish{text, lease_of("", 1), text, {}, {}});
  }
  const auto replies = store->ask(requests);
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Published>(replies[0]));
  ASSERT_TRUE(std::holds_alternative<Unstorable>(replies[1])) << replies[1].index();
  EXPECT_NE(std::get<Unstorable>(replies[1]).why.find("UTF-8"), std::string::npos)
      << std::get<Unstorable>(replies[1]).why;
  EXPECT_TRUE(std::holds_alternative<Published>(replies[2]));
  EXPECT_EQ(server.query("SELECT string_agg(id, ',' ORDER BY id) FROM tenure.state"), "a,c");
}

TEST_F(ResultsInPostgres, AreStoredAgainAfterTheServerCameBack) {
  const auto store = results();
  const poll::ResultRequest request = Publish{"s", lease_of("", 1), "{}", {}, {}};
  ASSERT_TRUE(std::holds_alternative<Published>(store->ask({&request, 1}).front()));
  server.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type "
      "= 'client backend'");
  EXPECT_TRUE(std::holds_alternative<Published>(store->ask({&request, 1}).front()));
}

// A row of a session that is stored over and over stays on its page.
TEST_F(ResultsInPostgres, LeaveTheTableAsLargeAsItWas) {
  const auto store = results();
  std::vector<poll::ResultRequest> requests;
  for (int i = 0; i < 200; ++i)
    requests.emplace_back(Publish{"s-" + std::to_string(i), lease_of("", 1), "{}", {}, {}});
  store->ask(requests);
  const std::int64_t before = std::stoll(server.query("SELECT pg_relation_size('tenure.state')"));
  for (int i = 0; i < 200; ++i) store->ask(requests);
  EXPECT_LE(std::stoll(server.query("SELECT pg_relation_size('tenure.state')")), before + 8 * 8192);
}

}  // namespace
}  // namespace tenure::test
