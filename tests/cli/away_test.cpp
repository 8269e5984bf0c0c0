// While Redis is away, or keeps us out: who waits, for how long, what is said, and how it ends.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/every_command.hpp"
#include "support/certificates.hpp"

namespace tenure::test {
namespace {

const std::string nowhere = "unix:///nowhere/redis.sock";

class AwayTest : public testing::Test {
 protected:
  std::unique_ptr<Process> start(const Job& what) { return start_tenure(what.words(redis.url())); }

  ReadyRedis redis;
};

TEST_F(AwayTest, RunWithoutAWaitExitsAtOnceWhereRedisWasNeverReached) {
  for (const Words& options : {Words{}, Words{"-n"}}) {
    const Result result = tenure(Job{.options = options}.words(nowhere));
    EXPECT_EQ(result.code, 69);
    EXPECT_TRUE(has(result.err, "there is no such socket")) << result.err;
  }
}

TEST_F(AwayTest, RunWithAWaitWaitsForARedisThatWasNeverReached) {
  redis.kill();
  const auto waiter = start({.options = {"--wait", "60s"}, .command = shell("exit 6")});
  ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for job: "); })) << waiter->err();
  redis.restart();
  make_ready({redis.url()});
  EXPECT_EQ(waiter->exit_code(std::chrono::seconds(30)), 6) << waiter->err();
}

TEST_F(AwayTest, RunWithAWaitEndsWithItWhereRedisWasNeverReached) {
  const Result result = tenure(Job{.options = {"--wait", "300ms"}}.words(nowhere));
  EXPECT_EQ(result.code, 124);
  EXPECT_TRUE(has(result.err, "waited too long for job: " + nowhere + ": there is no such socket"))
      << result.err;
}

TEST_F(AwayTest, QuietIsAboutOthersNotAboutARedisThatIsAway) {
  const Result result = tenure(Job{.options = {"--wait", "300ms", "-q"}}.words(nowhere));
  EXPECT_EQ(result.code, 124);
  EXPECT_TRUE(is_one_plain_line(result.err)) << result.err;
}

TEST_F(AwayTest, RunWithAWaitEndsWithItWhereRedisWentAwayMeanwhile) {
  const auto holder = start({.options = {"--ttl", "60s"}, .command = stay()});
  number_printed(*holder);
  const auto waiter = start({.options = {"--wait", "2s"}, .command = shell("echo must not run")});
  ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for job: held by "); })) << waiter->err();
  redis.kill();
  EXPECT_EQ(waiter->exit_code(), 124) << waiter->err();
  EXPECT_TRUE(has(waiter->err(), "waited too long for job: " + redis.url())) << waiter->err();
}

class DeniedTest : public testing::Test {
 protected:
  // "<who>:<password>" of a user who may do all that these rules say.
  std::string user(const Words& rules) {
    redis.command(Words{"ACL", "SETUSER", "worker", "reset", "on", ">gehe!m"} + rules);
    return redis.url("worker:gehe!m");
  }
  void forget_user() {
    redis.command({"ACL", "SETUSER", "worker", "resetpass", ">another"});
    redis.command({"CLIENT", "KILL", "USER", "worker"});
  }
  static void expect_denied(const Result& result, const std::string& why) {
    EXPECT_EQ(result.code, 69) << result.err;
    EXPECT_TRUE(has(result.err, why)) << result.err;
    EXPECT_FALSE(has(result.err, "gehe!m")) << result.err;
  }

  ReadyRedis redis;
};

TEST_F(DeniedTest, NobodyWaitsWhereThePasswordIsWrong) {
  user({"allcommands", "allkeys", "allchannels"});
  const Words place{"--redis", redis.url("worker:wrong")};
  expect_denied(tenure(Words{"run", "job", "--wait", "60s"} + place + Words{"--", "true"}), "WRONGPASS");
  for (const Words& words : commands_that_stay(place)) expect_denied(tenure(words), "WRONGPASS");
  expect_denied(tenure(Words{"elect", "leader"} + place + Words{"--", "true"}), "WRONGPASS");
}

TEST_F(DeniedTest, NobodyWaitsWhereAPasswordIsMissing) {
  redis.command({"CONFIG", "SET", "requirepass", "secret"});
  const Words place{"--redis", redis.url()};
  expect_denied(tenure(Words{"run", "job", "--wait", "60s"} + place + Words{"--", "true"}), "NOAUTH");
  for (const Words& words : commands_that_stay(place)) expect_denied(tenure(words), "NOAUTH");
}

TEST_F(DeniedTest, NobodyWaitsForRightsThatAreMissing) {
  const Words place{"--redis", user({"+@all", "-evalsha", "-eval", "allkeys", "allchannels"})};
  expect_denied(tenure(Words{"run", "job", "--wait", "60s"} + place + Words{"--", "true"}), "EVALSHA");
  for (const Words& words : commands_that_stay(place)) expect_denied(tenure(words), "NOPERM");
}

TEST_F(DeniedTest, NobodyWaitsForAServerWhoseCertificateIsNotTrusted) {
  Certificates known;
  Certificates others;
  const RedisServer server({.tls = others.server()});
  const Words place{"--redis", server.url(), "--tls-ca", known.ca_file()};
  expect_denied(tenure(Words{"run", "job", "--wait", "60s"} + place + Words{"--", "true"}), "not trusted");
  for (const Words& words : commands_that_stay(place)) expect_denied(tenure(words), "not trusted");
}

TEST_F(DeniedTest, WhoWaitsForItsTurnIsToldWhenThePasswordChanges) {
  const auto holder = start_tenure(Job{.command = stay()}.words(redis.url()));
  number_printed(*holder);
  const auto waiter = start_tenure(Job{}.words(user({"allcommands", "allkeys", "allchannels"})));
  ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for job: held by "); })) << waiter->err();
  forget_user();
  EXPECT_EQ(waiter->exit_code(std::chrono::seconds(60)), 69);
  EXPECT_TRUE(has(waiter->err(), "WRONGPASS")) << waiter->err();
}

TEST_F(DeniedTest, AHolderSaysThatThePasswordHasChanged) {
  const auto holder = start_tenure(Job{.options = {"--ttl", "2s"}, .command = stay()}.words(
      user({"allcommands", "allkeys", "allchannels"})));
  number_printed(*holder);
  forget_user();
  EXPECT_TRUE(wait_until([&] { return has(holder->err(), "WRONGPASS"); })) << holder->err();
}

}  // namespace
}  // namespace tenure::test
