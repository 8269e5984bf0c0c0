// The program through a PgBouncer that gives each transaction another session: all commands do what they do without it.
#include <csignal>

#include "cli/endpoint.hpp"
#include "cli/ready_postgres.hpp"
#include "http_target/http_target.hpp"
#include "support/pgbouncer_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class PostgresqlPooler : public testing::Test {
 protected:
  void SetUp() override {
    if (!PgBouncerServer::available()) GTEST_SKIP() << "there is no pgbouncer";
    pooler = std::make_unique<PgBouncerServer>(postgres, PgBouncerServer::Options{.pool_size = 2});
    // By way of the pooler, too: the record belongs to the set of that address.
    make_ready_postgres(url());
  }

  std::string url() const { return pooler->url(); }
  Result ask(const Words& words) const { return tenure(words + store(url())); }
  std::unique_ptr<Process> start(const Words& words) const { return start_tenure(words + store(url())); }
  std::unique_ptr<Process> hold(const Words& options) const {
    return start_tenure(run_words(url(), options, stay()));
  }

  const PostgresServer postgres;
  std::unique_ptr<PgBouncerServer> pooler;
};

TEST_F(PostgresqlPooler, RunHoldsANameAndGivesItToTheNext) {
  const auto holder = hold({"--id", "web-3"});
  const long token = number_printed(*holder);
  expect_told_of_web_3(tenure(run_words(url(), {"-n"}, {"true"})), token);
  // It is not woken, and looks by itself.
  const auto waiter = hold({"--wait", "30s"});
  ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for job"); })) << waiter->err();
  holder->send(SIGTERM);
  EXPECT_GT(number_printed(*waiter), token);
  EXPECT_EQ(holder->exit_code(), 128 + SIGTERM);
}

// The pooler goes on with other sessions, of which none knows the clients.
TEST_F(PostgresqlPooler, RunKeepsItsNameWhenTheSessionsOfThePoolAreCut) {
  const auto holder = hold({"--ttl", "6s", "--id", "web-3"});
  const long token = number_printed(*holder);
  postgres.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tenure'");
  const std::string armed = postgres.query("SELECT ends FROM tenure.lease");
  ASSERT_TRUE(wait_until([&] { return postgres.query("SELECT ends FROM tenure.lease") != armed; }))
      << holder->err();
  EXPECT_EQ(postgres.query("SELECT token FROM tenure.lease"), std::to_string(token));
  EXPECT_TRUE(holder->running()) << holder->err();
}

TEST_F(PostgresqlPooler, ElectPassesLeadershipOn) {
  const auto one = start({"elect", "myapp:leader", "--id", "web-1"});
  ASSERT_TRUE(prints(*one, "elected term=")) << one->err();
  const auto two = start({"elect", "myapp:leader", "--id", "web-2"});
  ASSERT_TRUE(prints(*two, "leader id=web-1 ")) << two->err();
  one->send(SIGTERM);
  EXPECT_TRUE(prints(*two, "elected term=")) << two->err();
  EXPECT_EQ(one->exit_code(), 0) << one->err();
}

TEST_F(PostgresqlPooler, LockShowsListsAndBreaks) {
  const auto holder = hold({"--id", "web-3"});
  const std::string token = std::to_string(number_printed(*holder));
  const Result listed = ask({"lock", "ls"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_TRUE(has(listed.out, "job")) << listed.out;
  EXPECT_TRUE(has(listed.out, "web-3")) << listed.out;
  EXPECT_TRUE(has(listed.out, token)) << listed.out;
  const Result shown = ask({"lock", "show", "job", "--json"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(has(shown.out, "\"owner\": \"web-3\"")) << shown.out;
  EXPECT_TRUE(has(shown.out, "\"token\": " + token)) << shown.out;
  EXPECT_EQ(ask({"lock", "show", "nobody"}).code, 1);
  const Result broken = ask({"lock", "break", "job", "--yes", "--unsafe"});
  EXPECT_EQ(broken.code, 0) << broken.err;
  EXPECT_EQ(ask({"lock", "show", "job"}).code, 1);
}

// Four clients with several connections each, over two sessions.
TEST_F(PostgresqlPooler, PollSharesSessionsWhichStatusAndWebShow) {
  const auto target = http_target::HttpTarget::open().value();
  for (const char* id : {"s-1", "s-2"}) {
    const Result added = ask({"sessions", "add", id, target->url("/"), "--every", "4s"});
    ASSERT_EQ(added.code, 0) << added.err;
  }
  const auto one = start({"poll", "--id", "web-1", "--ttl", "5s", "--json"});
  const auto two = start({"poll", "--id", "web-2", "--ttl", "5s", "--json"});
  const auto status = [&] { return ask({"status", "--json"}).out; };
  const auto owned = [&](const std::string& id) {
    return postgres.query("SELECT count(*) FROM tenure.lease WHERE owner = '" + id +
                          "' AND ends > clock_timestamp() AND NOT kept");
  };
  ASSERT_TRUE(wait_until([&] { return owned("web-1") == "1" && owned("web-2") == "1"; }, 30s)) << status();
  ASSERT_TRUE(wait_until([&] { return postgres.query("SELECT count(*) FROM tenure.state") == "2"; }, 30s));
  EXPECT_TRUE(wait_until([&] { return has(status(), "\"within_one\": true"); }, 20s)) << status();
  const Result text = ask({"status"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(has(text.out, "web-1") && has(text.out, "web-2")) << text.out;

  const ServingTenure web(Words{"web"} + store(url()));
  EXPECT_TRUE(web.comes_to("/api/v1/fleet", 200, "\"owned\": 2, \"unlisted\": 0, \"nobody\": 0"))
      << web.get("/api/v1/fleet").body;
  EXPECT_TRUE(web.comes_to("/readyz", 200, "ready: 1 of 1")) << web.get("/readyz").body;
  EXPECT_TRUE(web.comes_to("/api/v1/nodes", 200, "\"pooled\": true")) << web.get("/api/v1/nodes").body;

  for (const auto* it : {&one, &two}) {
    (*it)->send(SIGTERM);
    EXPECT_EQ((*it)->exit_code(), 0) << (*it)->err();
  }
  EXPECT_TRUE(web.comes_to("/api/v1/fleet", 200, "\"owned\": 0")) << web.get("/api/v1/fleet").body;
  EXPECT_EQ(http_target::overlaps(target->visits()), 0U);
}

TEST_F(PostgresqlPooler, WebShowsLocksAndWhatChanges) {
  const auto holder = hold({"--id", "web-3"});
  const std::string token = std::to_string(number_printed(*holder));
  const ServingTenure web(Words{"web"} + store(url()));
  EXPECT_TRUE(web.comes_to("/api/v1/locks", 200, "\"token\": " + token)) << web.get("/api/v1/locks").body;
  HttpClient events(web.port());
  events.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(has(events.receive_until("\"error\": null"), "event: look"));
  holder->send(SIGTERM);
  EXPECT_TRUE(has(events.receive_until("\"name\": \"job\""), "event: change"));
}

}  // namespace
}  // namespace tenure::test
