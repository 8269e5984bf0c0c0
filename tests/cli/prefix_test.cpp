// --prefix covers every key: what is done under one prefix is neither seen nor hindered under another.
#include <gtest/gtest.h>

#include <csignal>

#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class PrefixTest : public testing::Test {
 protected:
  PrefixTest() {
    for (const char* prefix : {"a:", "b:"}) {
      const Result made = tenure(under(prefix, {"init"}));
      EXPECT_EQ(made.code, 0) << made.err;
    }
  }
  Words under(const std::string& prefix, const Words& words) const {
    return words + Words{"--redis", redis.url(), "--prefix", prefix};
  }
  Words job(const std::string& prefix, const Words& options, const Words& command) const {
    return Job{.options = Words{"--prefix", prefix} + options, .command = command}.words(redis.url());
  }
  bool there(const std::string& key) { return redis.command({"EXISTS", key}).integer == 1; }
  Words strangers() {
    Words others;
    for (const auto& key : keys(redis)) {
      if (!key.starts_with("a:") && !key.starts_with("b:")) others.push_back(key);
    }
    return others;
  }

  RedisServer redis;
};

TEST_F(PrefixTest, ALockOfTheSameNameIsAnotherLockUnderAnotherPrefix) {
  const auto first = start_tenure(job("a:", {"--id", "web-1"}, stay()));
  number_printed(*first);
  EXPECT_TRUE(there("a:redlock:job"));
  const auto second = start_tenure(job("b:", {"-n", "--id", "web-2"}, stay()));
  ASSERT_TRUE(prints(*second, "\n")) << second->err();
  EXPECT_TRUE(there("b:redlock:job"));
  // Under one prefix it is the same lock, and is shown by its plain name.
  const Result third = tenure(job("a:", {"-n"}, {"true"}));
  EXPECT_EQ(third.code, 75);
  EXPECT_TRUE(third.err.starts_with("tenure: job is held by web-1 ")) << third.err;
  const auto rows = table(tenure(under("a:", {"lock", "ls"})).out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1][0], "job");
  EXPECT_TRUE(tenure(under("b:", {"lock", "show", "job"})).out.starts_with("job: a lock, held by web-2 "));
  EXPECT_EQ(tenure(under("b:", {"lock", "break", "job", "--yes", "--unsafe"})).code, 0);
  EXPECT_FALSE(there("b:redlock:job"));
  EXPECT_TRUE(there("a:redlock:job"));
  EXPECT_EQ(strangers(), Words{});
}

TEST_F(PrefixTest, AnElectionOfTheSameNameHasALeaderUnderEachPrefix) {
  const auto first = start_tenure(under("a:", {"elect", "app:leader", "--id", "web-1"}));
  const auto second = start_tenure(under("b:", {"elect", "app:leader", "--id", "web-2"}));
  EXPECT_TRUE(prints(*first, "elected term=")) << first->out() << first->err();
  EXPECT_TRUE(prints(*second, "elected term=")) << second->out() << second->err();
  EXPECT_TRUE(there("a:app:leader") && there("b:app:leader"));
  EXPECT_EQ(strangers(), Words{});
}

TEST_F(PrefixTest, AFleetUnderAnotherPrefixHasSessionsLeasesAndResultsOfItsOwn) {
  const auto target = http_target::HttpTarget::open().value();
  RedisConnection ear(redis.socket_path());
  ear.command({"SUBSCRIBE", "a:poll:events:s1"});
  std::vector<std::unique_ptr<Process>> instances;
  for (const std::string prefix : {"a:", "b:"}) {
    const Result added = tenure(
        under(prefix, {"sessions", "add", "s1", target->url("/" + prefix.substr(0, 1)), "--every", "4s"}));
    EXPECT_EQ(added.code, 0) << added.err;
    instances.push_back(start_tenure(under(prefix, {"poll", "--ttl", "3s", "--id", "web-" + prefix})));
  }
  const auto stored = [&] { return there("a:state:s1") && there("b:state:s1"); };
  ASSERT_TRUE(wait_until(stored, 20s)) << instances[0]->out() << instances[1]->out();
  EXPECT_EQ(ear.receive().items.at(1).text, "a:poll:events:s1");
  EXPECT_TRUE(there("a:session:s1") && there("a:poll:lease:s1") && there("a:poll:node:web-a:"));
  EXPECT_TRUE(has(redis.command({"HGET", "a:state:s1", "result"}).text, "web-a:"));
  EXPECT_TRUE(has(redis.command({"HGET", "b:state:s1", "result"}).text, "web-b:"));
  EXPECT_TRUE(prints(*instances[0], R"("event": "lease_renewed")"));
  EXPECT_TRUE(has(instances[0]->out(), R"("session": "s1")"));
  const std::string page = tenure(under("a:", {"status"})).out;
  EXPECT_TRUE(has(page, "fleet poll: 1 instance, 1 session, 1 owned\n")) << page;
  EXPECT_TRUE(has(tenure(under("b:", {"explain", "s1"})).out, "lease: held by web-b: "));
  EXPECT_EQ(tenure(under("a:", {"sessions", "rm", "s1"})).code, 0);
  EXPECT_FALSE(there("a:session:s1"));
  EXPECT_TRUE(there("b:session:s1"));
  EXPECT_EQ(strangers(), Words{});
}

TEST_F(PrefixTest, ThePrefixOfSessionsIsTakenAsGivenUnderThePrefix) {
  EXPECT_EQ(tenure(under("a:", {"sessions", "add", "s1", "http://x", "--session-prefix", "mine:"})).code, 0);
  EXPECT_TRUE(there("a:mine:s1"));
  EXPECT_EQ(strangers(), Words{});
}

TEST_F(PrefixTest, OnePrefixInTheRightsOfAUserIsEnoughForEverything) {  // T31
  const std::string url = redis.url("worker:s3cret");
  redis.command({"ACL", "SETUSER", "worker", "on", ">s3cret", "+eval", "+ping"});
  const Words place{"--redis", url, "--prefix", "a:"};
  const std::string page = tenure(Words{"doctor"} + place).out;
  EXPECT_TRUE(has(page, "GET on a:redlock:*")) << page;
  EXPECT_TRUE(has(page, "do:  ACL SETUSER worker ~a:* &a:wake:* +")) << page;
  redis.command({"ACL", "SETUSER", "worker", "~a:*", "&a:*", "+@all"});
  EXPECT_EQ(tenure(Words{"doctor"} + place).code, 0);
  redis.command({"CONFIG", "RESETSTAT"});
  EXPECT_EQ(tenure(Words{"run", "job"} + place + Words{"--", "true"}).code, 0);
  const auto leader = start_tenure(Words{"elect", "app:leader"} + place);
  EXPECT_TRUE(prints(*leader, "elected term=")) << leader->err();
  const auto target = http_target::HttpTarget::open().value();
  EXPECT_EQ(tenure(Words{"sessions", "add", "s1", target->url("/"), "--every", "4s"} + place).code, 0);
  const auto poll = start_tenure(Words{"poll", "--ttl", "3s"} + place);
  EXPECT_TRUE(wait_until([&] { return there("a:state:s1"); }, 20s)) << poll->out() << poll->err();
  EXPECT_EQ(tenure(Words{"status"} + place).code, 0);
  EXPECT_EQ(tenure(Words{"lock", "ls"} + place).code, 0);
  const std::string refusals = redis.command({"INFO", "errorstats"}).text;
  EXPECT_FALSE(has(refusals, "NOPERM")) << refusals;
}

TEST(Prefix, OneWhoseKeysCouldBeThoseOfTheUsualPrefixIsRefused) {
  for (const char* prefix : {"redlock:", "redlock:a:", "poll:", "session:x:", "state:", "tenure:queue:",
                             "tenure:record", "tenure", "red"}) {
    for (const Words& words : std::vector<Words>{{"run", "job", "--prefix", prefix, "--", "true"},
                                                 {"init", "--prefix", prefix},
                                                 {"poll", "--prefix", prefix},
                                                 {"lock", "ls", "--prefix", prefix}}) {
      // Before "--", of a server that is not there.
      Words whole = words;
      whole.insert(std::ranges::find(whole, "--"), {"--redis", "unix:///nowhere"});
      const Result refused = tenure(whole);
      EXPECT_EQ(refused.code, 64) << prefix;
      EXPECT_TRUE(has(refused.err, std::string("the prefix ") + prefix + " cannot be used")) << refused.err;
    }
  }
  RedisServer redis;
  for (const char* prefix : {"tenure:team-a:", "team-a:", "my-redlock:"}) {
    EXPECT_EQ(tenure({"init", "--redis", redis.url(), "--prefix", prefix}).code, 0) << prefix;
  }
}

}  // namespace
}  // namespace tenure::test
