// Fleets on a PostgreSQL, by the program: sessions, polls, what is shown of them.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/endpoint.hpp"
#include "cli/ready_postgres.hpp"
#include "http_target/http_target.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class PostgresqlFleet : public testing::Test {
 protected:
  Result ask(const Words& words) const { return tenure(words + store(postgres.url())); }
  Result sessions(const Words& words) const { return ask(Words{"sessions"} + words); }
  std::unique_ptr<Process> start(const std::string& id) const {
    return start_tenure(Words{"poll", "--id", id, "--ttl", "2s", "--json"} + store(postgres.url()));
  }
  std::string owners() const {
    return postgres.query(
        "SELECT string_agg(right(name, 1) || ' ' || owner, ' ' ORDER BY name) FROM tenure.lease "
        "WHERE name LIKE 'poll:lease:%' AND ends > clock_timestamp() AND NOT kept");
  }
  std::size_t owned_by(const std::string& id) const {
    return std::stoul(postgres.query("SELECT count(*) FROM tenure.lease WHERE owner = '" + id +
                                     "' AND ends > clock_timestamp() AND NOT kept"));
  }
  void add(int count) {
    for (int i = 1; i <= count; ++i) {
      const std::string id = "s-" + std::to_string(i);
      ASSERT_EQ(sessions({"add", id, target->url("/"), "--every", "4s"}).code, 0);
    }
  }

  const ReadyPostgres postgres;
  std::unique_ptr<http_target::HttpTarget> target = http_target::HttpTarget::open().value();
};

TEST_F(PostgresqlFleet, SessionsAreAddedListedPausedAndRemoved) {
  const Result none = sessions({"ls"});
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.err,
            "tenure: there are no sessions; one would be a row of fleet poll in the table tenure.session\n");
  EXPECT_EQ(sessions({"add", "shop", "https://me:secret@shop/health", "--every", "5s"}).err,
            "tenure: added shop: https://***@shop/health every 5s\n");
  EXPECT_EQ(sessions({"add", "shop", "https://me:secret@shop/health", "--every", "5s"}).code, 0);
  EXPECT_EQ(sessions({"add", "shop", "http://other"}).code, 73);
  EXPECT_EQ(sessions({"pause", "shop"}).err, "tenure: paused shop\n");
  EXPECT_EQ(postgres.query("SELECT text FROM tenure.session WHERE id = 'shop'"),
            R"({"id":"shop","address":"https://me:secret@shop/health","interval_ms":5000,"paused":true})");
  const Result listed = sessions({"ls"});
  EXPECT_TRUE(has(listed.out, "shop")) << listed.out;
  EXPECT_FALSE(has(listed.out, "secret")) << listed.out;
  EXPECT_EQ(sessions({"rm", "shop"}).err, "tenure: removed shop\n");
  EXPECT_EQ(sessions({"rm", "shop"}).code, 1);
}

TEST_F(PostgresqlFleet, InstancesShareSessionsPollThemAndTakeOverFromOneThatIsKilled) {
  add(4);
  const auto one = start("web-1");
  const auto two = start("web-2");
  ASSERT_TRUE(wait_until([&] { return owned_by("web-1") == 2 && owned_by("web-2") == 2; }, 20s)) << owners();
  ASSERT_TRUE(wait_until([&] { return postgres.query("SELECT count(*) FROM tenure.state") == "4"; }, 10s));
  const Result status = ask({"status"});
  EXPECT_EQ(status.code, 0) << status.err;
  EXPECT_TRUE(has(status.out, "web-1")) << status.out;
  EXPECT_TRUE(has(status.out, "web-2")) << status.out;
  const std::string owner = postgres.query("SELECT owner FROM tenure.lease WHERE name = 'poll:lease:s-1'");
  const Result explained = ask({"explain", "s-1"});
  EXPECT_TRUE(has(explained.out, "held by " + owner + " for another")) << explained.out;
  const Result listed = ask({"lock", "show", "poll:lease:s-1"});
  EXPECT_TRUE(has(listed.out, owner)) << listed.out << listed.err;
  two->send(SIGKILL);
  ASSERT_TRUE(wait_until([&] { return owned_by("web-1") == 4; }, 20s)) << owners();
  one->send(SIGTERM);
  EXPECT_EQ(one->exit_code(), 0) << one->err();
  EXPECT_EQ(owners(), "");
  EXPECT_EQ(http_target::overlaps(target->visits()), 0U);
}

TEST_F(PostgresqlFleet, TheirDataMayBeOnAnotherServer) {
  const ReadyPostgres data;
  const Words place = store(postgres.url()) + Words{"--data", data.url()};
  ASSERT_EQ(tenure(Words{"sessions", "add", "s-1", target->url("/"), "--every", "4s"} + place).code, 0);
  const auto one = start_tenure(Words{"poll", "--id", "web-1", "--ttl", "2s"} + place);
  EXPECT_TRUE(wait_until([&] { return data.query("SELECT count(*) FROM tenure.state") == "1"; }, 20s))
      << one->out() << one->err();
  EXPECT_EQ(owned_by("web-1"), 1U);
  EXPECT_EQ(postgres.query("SELECT count(*) FROM tenure.beat"), "0");
  EXPECT_EQ(data.query("SELECT count(*) FROM tenure.beat"), "1");
}

TEST_F(PostgresqlFleet, IsShownByWebAndFollowed) {
  add(2);
  const auto one = start("web-1");
  const ServingTenure web(Words{"web"} + store(postgres.url()));
  EXPECT_TRUE(web.comes_to("/api/v1/fleet", 200, "\"owned\": 2, \"unlisted\": 0, \"nobody\": 0"))
      << web.get("/api/v1/fleet").body;
  EXPECT_TRUE(web.comes_to("/api/v1/sessions", 200, "\"owner\": \"web-1\""))
      << web.get("/api/v1/sessions").body;
  one->send(SIGTERM);
  EXPECT_EQ(one->exit_code(), 0);
  EXPECT_TRUE(web.comes_to("/api/v1/timeline", 200, "s-1")) << web.get("/api/v1/timeline").body;
  EXPECT_TRUE(web.comes_to("/api/v1/fleet", 200, "\"owned\": 0")) << web.get("/api/v1/fleet").body;
}

TEST_F(PostgresqlFleet, ADemonstrationTellsItsStoryThereAndLeavesNothingBehind) {
  const auto demo = start_tenure(Words{"demo"} + store(postgres.url()));
  EXPECT_EQ(demo->exit_code(100s), 0) << demo->out() << demo->err();
  EXPECT_TRUE(has(demo->out(), postgres.url() + ", with a fleet of its own (demo-")) << demo->out();
  for (const char* chapter :
       {"Each has three", "is killed", "have its sessions", "starts again", "Three each again"}) {
    EXPECT_TRUE(has(demo->out(), chapter)) << chapter << '\n' << demo->out();
  }
  EXPECT_TRUE(has(demo->out(), "of 9 sessions, overlaps: 0, ")) << demo->out();
  EXPECT_EQ(demo->err(), "");
  for (const char* table : {"session", "state", "fleet", "beat", "waiter"}) {
    EXPECT_EQ(postgres.query(std::string("SELECT count(*) FROM tenure.") + table), "0") << table;
  }
  EXPECT_EQ(postgres.query("SELECT count(*) FROM tenure.lease WHERE name LIKE 'demo-%'"), "0");
}

TEST_F(PostgresqlFleet, ADemonstrationWhoseInstancesAreRefusedSaysWhy) {
  const auto demo = start_tenure(Words{"demo", "--ttl-max", "2s"} + store(postgres.url()));
  EXPECT_EQ(demo->exit_code(100s), 76) << demo->out() << demo->err();
  EXPECT_TRUE(has(demo->err(), "the demonstration cannot begin: ")) << demo->err();
  EXPECT_TRUE(has(demo->err(), "--ttl-max")) << demo->err();
}

TEST_F(PostgresqlFleet, ADemonstrationSaysWhyItCannotBegin) {
  const PostgresServer other;
  const Result result = tenure(Words{"demo"} + store(other.url()));
  EXPECT_EQ(result.code, 76);
  EXPECT_TRUE(has(result.err, "the demonstration cannot begin: ")) << result.err;
  EXPECT_TRUE(has(result.err, "it has no schema tenure")) << result.err;
  EXPECT_TRUE(has(result.err, "make it: tenure init --store 'postgresql://")) << result.err;
}

TEST_F(PostgresqlFleet, WhatIsForRedisIsRefusedWithTheReason) {
  for (const Words& option : std::vector<Words>{{"--index"}, {"--session-prefix", "x:"}}) {
    const Result result = sessions(Words{"ls"} + option);
    EXPECT_EQ(result.code, 64);
    EXPECT_TRUE(has(result.err, option.front() + " is for sessions in Redis")) << result.err;
  }
  const Result mixed = sessions({"ls", "--data", "redis://h"});
  EXPECT_EQ(mixed.code, 64);
  EXPECT_TRUE(has(mixed.err, "--data names a Redis, and the leases are in PostgreSQL")) << mixed.err;
}

}  // namespace
}  // namespace tenure::test
