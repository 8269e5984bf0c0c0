// tenure init, and the words of the program itself: help and version.
#include <gtest/gtest.h>

#include "cli/tenure_program.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

TEST(Init, MakesTheRecordOfANewRedis) {
  RedisServer redis;
  const Result made = tenure({"init", "--redis", redis.url()});
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(made.out, "made: this Redis is ready for Tenure (leases of at most 1m)\n");
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(keys(redis), only_record);

  std::istringstream record(redis.command({"GET", "tenure:record"}).text);
  std::string set;
  std::string state;
  std::string epoch;
  std::string life;
  std::string why;
  long cap = 0;
  long made_at = 0;
  long by_our_clock = 0;
  long longest = 0;
  record >> cap >> set >> epoch >> state >> life >> made_at >> by_our_clock >> longest >> why;
  EXPECT_EQ(set, "1");
  EXPECT_EQ(longest, 60'000);
  EXPECT_EQ(state, "open");
  EXPECT_EQ(cap, 60'000);
  EXPECT_EQ(epoch.size(), 16U);
  EXPECT_EQ(life.size(), 40U + 1 + 40);
  EXPECT_GT(made_at, 1'700'000'000'000);
  EXPECT_NEAR(static_cast<double>(made_at), static_cast<double>(by_our_clock), 10'000);
  EXPECT_EQ(why, "new");
  EXPECT_TRUE(has(redis.command({"INFO", "server"}).text, "run_id:" + life.substr(0, 40)));
}

TEST(Init, LeavesARecordThatExistsAlone) {
  ReadyRedis redis;
  const auto before = contents(redis);
  const Result again = tenure({"init", "--redis", redis.url(), "--ttl-max", "2m"});
  EXPECT_EQ(again.code, 73);
  EXPECT_EQ(again.out, "");
  EXPECT_TRUE(
      has(again.err, "it has a record of Tenure already (open, leases of at most 1m); nothing was changed"))
      << again.err;
  EXPECT_EQ(contents(redis), before);
}

TEST(Init, TakesACapAndAPrefix) {
  RedisServer redis;
  const Words where{"--redis", redis.url(), "--ttl-max", "90s", "--prefix", "mine:"};
  Words words{"init"};
  words.insert(words.end(), where.begin(), where.end());
  EXPECT_EQ(tenure(words).code, 0);
  EXPECT_EQ(keys(redis), (Words{"mine:fence", "mine:record"}));
  words = {"run", "x", "--ttl", "80s"};
  words.insert(words.end(), where.begin(), where.end());
  words.insert(words.end(), {"--", "true"});
  EXPECT_EQ(tenure(words).code, 0);
}

TEST(Init, ARedisOutOfReachIsNamed) {
  const Result result = tenure({"init", "--redis", "unix:///no/such/redis.sock"});
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.err, "tenure: unix:///no/such/redis.sock: there is no such socket\n");
}

// T30
TEST(Init, ANodeOfARedisClusterIsRefused) {
  RedisServer redis({.arguments = {"--cluster-enabled", "yes"}});
  const Result result = tenure({"init", "--redis", redis.url()});
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "name the Cluster, by redis-cluster://")) << result.err;
}

TEST(Init, AReplicaIsRefused) {
  RedisServer redis;
  redis.command({"REPLICAOF", "127.0.0.1", "1"});
  const Result result = tenure({"init", "--redis", redis.url()});
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "read-only replica")) << result.err;
}

TEST(Help, GoesToStandardOutputWithExamples) {
  for (const Words& words : std::vector<Words>{{"help"},
                                               {"-h"},
                                               {"--help"},
                                               {"help", "run"},
                                               {"run", "-h"},
                                               {"run", "x", "--help", "--", "true"},
                                               {"help", "init"},
                                               {"init", "-h"},
                                               {"help", "doctor"},
                                               {"doctor", "-h"},
                                               {"help", "redis"},
                                               {"redis", "-h"},
                                               {"redis", "up", "-h"},
                                               {"redis", "down", "--help"},
                                               {"help", "lock"},
                                               {"lock", "-h"},
                                               {"lock", "break", "-h"}}) {
    const Result result = tenure(words);
    EXPECT_EQ(result.code, 0) << words.front();
    EXPECT_EQ(result.err, "") << words.front();
    EXPECT_TRUE(has(result.out, "Examples:")) << result.out;
  }
  EXPECT_TRUE(has(tenure({"help", "run"}).out, "--busy-code"));
  EXPECT_TRUE(has(tenure({"init", "-h"}).out, "tenure init [OPTIONS]"));
}

TEST(Version, IsOneLine) {
  const Result result = tenure({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.out.starts_with("tenure 0.")) << result.out;
}

TEST(Output, ThatCannotBeWrittenIsAnError) {
  const Process process({"sh", "-c", std::string(paths::program) + " --version > /dev/full"},
                        {.environment = plain_environment()});
  EXPECT_EQ(process.exit_code(), 125);
  EXPECT_TRUE(has(process.err(), "cannot write the output"));
}

}  // namespace
}  // namespace tenure::test
