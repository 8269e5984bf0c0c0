// Fleets of different names on one Redis share nothing, not even sessions of the same id.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/fleet_facts.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class FleetsTest : public testing::Test {
 protected:
  Words in(const std::string& fleet, const Words& words) const {
    return words + Words{"--fleet", fleet, "--redis", redis.url()};
  }
  bool there(const std::string& key) { return redis.command({"EXISTS", key}).integer == 1; }
  std::string result(const std::string& key) { return redis.command({"HGET", key, "result"}).text; }

  ReadyRedis redis;
};

TEST_F(FleetsTest, EachPollsASessionOfTheSameIdAsItsOwn) {
  const auto target = http_target::HttpTarget::open().value();
  const std::string shop = target->url("/shop");
  const std::string bill = target->url("/bill");
  EXPECT_EQ(tenure(in("poll", {"sessions", "add", "s1", shop, "--every", "4s"})).code, 0);
  EXPECT_EQ(tenure(in("billing", {"sessions", "add", "s1", bill, "--every", "4s"})).code, 0);
  const auto usual = start_tenure(in("poll", {"poll", "--ttl", "3s", "--id", "web-1"}));
  const auto billing = start_tenure(in("billing", {"poll", "--ttl", "3s", "--id", "web-2"}));
  const auto stored = [&] { return there("state:s1") && there("billing:state:s1"); };
  ASSERT_TRUE(wait_until(stored, 20s)) << usual->out() << billing->out();
  EXPECT_TRUE(has(redis.command({"GET", "session:s1"}).text, shop));
  EXPECT_TRUE(has(redis.command({"GET", "billing:session:s1"}).text, bill));
  EXPECT_TRUE(has(result("state:s1"), "\"instance\": \"web-1\"")) << result("state:s1");
  EXPECT_TRUE(has(result("billing:state:s1"), "\"instance\": \"web-2\"")) << result("billing:state:s1");

  // What is done to one does not reach the other.
  EXPECT_EQ(tenure(in("billing", {"sessions", "pause", "s1"})).code, 0);
  ASSERT_TRUE(prints(*billing, "lease_released")) << billing->out();
  EXPECT_EQ(row_of(tenure(in("billing", {"sessions", "ls"})).out, "s1").at(3), "yes");
  EXPECT_EQ(row_of(tenure(in("poll", {"sessions", "ls"})).out, "s1").at(3), "no");
  EXPECT_EQ(tenure(in("billing", {"sessions", "resume", "s1"})).code, 0);
  EXPECT_TRUE(wait_until([&] { return there("billing:lease:s1"); }, 20s)) << billing->out();
  EXPECT_TRUE(has(tenure(in("billing", {"explain", "s1"})).out, bill));
  EXPECT_TRUE(has(tenure(in("billing", {"status"})).out, "fleet billing: 1 instance, 1 session, 1 owned\n"));
  EXPECT_TRUE(has(tenure(in("poll", {"status"})).out, "fleet poll: 1 instance, 1 session, 1 owned\n"));
  EXPECT_FALSE(has(usual->out(), "lease_released")) << usual->out();
  EXPECT_EQ(tenure(in("billing", {"sessions", "rm", "s1"})).code, 0);
  EXPECT_FALSE(there("billing:session:s1"));
  EXPECT_TRUE(there("session:s1"));
}

TEST_F(FleetsTest, AChosenPrefixOfSessionsIsTakenAsItIs) {
  EXPECT_EQ(tenure(in("billing", {"sessions", "add", "s1", "http://a", "--session-prefix", "x:"})).code, 0);
  EXPECT_TRUE(there("x:s1"));
  EXPECT_FALSE(there("billing:session:s1"));
  EXPECT_EQ(table(tenure(in("billing", {"sessions", "ls", "--session-prefix", "x:"})).out).size(), 2U);
}

TEST_F(FleetsTest, ANameWhoseKeysCouldBeThoseOfOthersIsRefused) {
  const auto refused = [&](const Words& words) {
    const Result result = tenure(words);
    EXPECT_EQ(result.code, 64) << words.front() << result.err;
    return has(result.err, "cannot be used");
  };
  for (const char* name : {"session", "state", "redlock", "poll:x", "session:a", "tenure:queue"}) {
    EXPECT_TRUE(refused(in(name, {"status"}))) << name;
    EXPECT_TRUE(refused(in(name, {"poll"}))) << name;
    EXPECT_TRUE(refused(in(name, {"sessions", "add", "s1", "http://a"}))) << name;
  }
  EXPECT_TRUE(refused(in("queue", {"status", "--prefix", "a:"})));
  EXPECT_EQ(tenure(in("queue", {"status"})).code, 0);
}

// Its sessions come from a program's own source: Redis has only its leases and heartbeats.
TEST_F(FleetsTest, StatusCountsWhatIsOwnedOfSessionsThatAreNotInRedis) {
  const FleetFacts fleet{redis};
  fleet.instance("web-1");
  fleet.instance("web-2");
  for (const char* session : {"a", "b", "c"}) lease(redis, session, "web-1");
  lease(redis, "d", "web-2");
  lease(redis, "e", "web-9");
  const Result text = tenure(in("poll", {"status"}));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(has(text.out, "fleet poll: 3 instances, 0 sessions, 5 owned (5 of them not listed in Redis)\n"))
      << text.out;
  EXPECT_EQ(row_of(text.out, "web-1").at(4), "3") << text.out;
  EXPECT_EQ(row_of(text.out, "web-1").at(5), "2.5") << text.out;
  EXPECT_EQ(row_of(text.out, "web-2").at(4), "1") << text.out;
  EXPECT_EQ(row_of(text.out, "web-9").at(1), "silent") << text.out;
  EXPECT_TRUE(has(tenure(in("poll", {"status", "--json"})).out, R"("owned": 5, "unlisted": 5, )"));
}

}  // namespace
}  // namespace tenure::test
