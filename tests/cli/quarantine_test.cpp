// A Redis that is new, was restarted or has lost its data: nobody gets a new lease there before all that it
// may have forgotten are over, and whoever holds one keeps it.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

// A quarantine of 1.1 s.
const Words short_cap{"--ttl-max", "1s"};
// With that cap a node counts as silent after 100 ms. On a busy machine the first answer may take longer, and without
// --wait a Redis that has never answered is not waited for.
const Words patient = short_cap + Words{"--wait", "60s"};

std::string value_of_job(RedisServer& redis) { return redis.command({"GET", "redlock:job"}).text; }

TEST(Quarantine, ANewRedisIsToldApartWithTheWayOut) {
  RedisServer redis;
  const Result refused = tenure(Job{.options = {"-n"}}.words(redis.url()));
  EXPECT_EQ(refused.code, 76);
  EXPECT_EQ(refused.err, "tenure: " + redis.url() +
                             " has no record of Tenure: new, or its data was lost. New grants within 66s, "
                             "once a client waits for "
                             "them. If it is new, tenure init opens it at once: tenure init --redis " +
                             redis.url() + "\n");
}

TEST(Quarantine, InitEndsThatOfANewRedisAtOnce) {
  RedisServer redis;
  EXPECT_EQ(tenure(Job{.options = {"-n"}}.words(redis.url())).code, 76);
  const Result made = tenure({"init", "--redis", redis.url()});
  EXPECT_EQ(made.code, 0) << made.err;
  const Result granted = tenure(Job{.options = {"-n"}, .command = shell("exit 3")}.words(redis.url()));
  EXPECT_EQ(granted.code, 3) << granted.err;
}

TEST(Quarantine, TheHintNamesPrefixAndCap) {
  RedisServer redis;
  const Words options{"--prefix", "mine:", "--ttl-max", "2m"};
  const Result refused = tenure(Job{.options = Words{"-n"} + options}.words(redis.url()));
  EXPECT_TRUE(has(refused.err, "tenure init --redis " + redis.url() + " --prefix mine: --ttl-max 2m\n"))
      << refused.err;
}

TEST(Quarantine, TheHintCanBePastedWhateverThePrefixIs) {
  RedisServer redis;
  const Words words = Job{.options = {"-n", "--prefix", "it's $HOME & mine:"}}.words(redis.url());
  const Result refused = tenure(words);
  const auto at = refused.err.find("tenure init --redis");
  ASSERT_NE(at, std::string::npos) << refused.err;
  const Process pasted(
      shell("tenure() { " + std::string(paths::program) + " \"$@\"; }; " + refused.err.substr(at)),
      {.environment = plain_environment()});
  EXPECT_EQ(pasted.exit_code(), 0) << refused.err << pasted.err();
  EXPECT_EQ(tenure(words).code, 0);
}

TEST(Quarantine, WhoWaitsIsToldAndGrantedAfterIt) {
  RedisServer redis;
  const auto waiter = start_tenure(Job{.options = patient, .command = shell("exit 6")}.words(redis.url()));
  EXPECT_EQ(waiter->exit_code(), 6);
  EXPECT_TRUE(
      has(waiter->err(), "tenure: waiting for job: " + redis.url() +
                             " has no record of Tenure: new, or its data was lost. New grants within "))
      << waiter->err();
}

TEST(Quarantine, WhoNeverWaitsIsGrantedAfterTwiceTheCap) {
  RedisServer redis;
  const Words words = Job{.options = Words{"-n", "-q"} + short_cap}.words(redis.url());
  EXPECT_TRUE(wait_until([&] { return tenure(words).code == 76; }));
  EXPECT_TRUE(wait_until([&] { return tenure(words).code == 0; }));
}

TEST(Quarantine, AWaitThatEndsBeforeItSaysWhy) {
  RedisServer redis;
  const Result result = tenure(Job{.options = {"--wait", "100ms"}}.words(redis.url()));
  EXPECT_EQ(result.code, 124);
  EXPECT_TRUE(has(result.err, "tenure: waited too long for job: " + redis.url() + " has no record of Tenure"))
      << result.err;
}

TEST(Quarantine, ASignalEndsTheWait) {
  RedisServer redis;
  const auto waiter = start_tenure(Job{.command = shell("echo must not run")}.words(redis.url()));
  EXPECT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for job"); }));
  waiter->send(SIGTERM);
  EXPECT_EQ(waiter->exit_code(), 128 + SIGTERM);
  EXPECT_EQ(waiter->out(), "");
}

TEST(Quarantine, ARestartThatKeptTheDataIsSaidToBeOne) {
  ReadyRedis redis({.arguments = {"--appendonly", "yes", "--appendfsync", "always"}});
  redis.restart();
  const Result refused = tenure(Job{.options = {"-n"}}.words(redis.url()));
  EXPECT_EQ(refused.code, 76);
  EXPECT_EQ(refused.err, "tenure: " + redis.url() +
                             " was restarted, promoted or restored from a copy and may have forgotten "
                             "leases. New grants within 66s, once a client waits for them.\n");
  const Result again = tenure({"init", "--redis", redis.url()});
  EXPECT_EQ(again.code, 73);
  EXPECT_TRUE(has(again.err, "it has a record of Tenure already (quarantined, ")) << again.err;
}

// F1
TEST(Quarantine, AHolderKeepsItsLeaseAndTokenOverARestartWithoutData) {
  ReadyRedis redis;
  const auto holder = start_tenure(Job{
      .options = {"--ttl", "2s"}, .command = shell("echo $TENURE_TOKEN; trap 'exit 4' TERM; sleep 60 & wait")}
                                       .words(redis.url()));
  const long token = number_printed(*holder);
  const std::string value = value_of_job(redis);
  redis.restart();
  EXPECT_TRUE(wait_until([&] { return value_of_job(redis) == value; })) << holder->err();
  EXPECT_TRUE(value.ends_with("#" + std::to_string(token)));
  EXPECT_EQ(tenure(Job{.name = "other", .options = {"-n"}}.words(redis.url())).code, 76);
  holder->send(SIGTERM);
  EXPECT_EQ(holder->exit_code(), 4) << holder->err();
  EXPECT_EQ(keys(redis), only_record);
}

// F9
TEST(Quarantine, AHolderKeepsItsLeaseAndTokenOverFlushall) {
  ReadyRedis redis;
  const auto holder = start_tenure(Job{.options = {"--ttl", "1s"}, .command = stay()}.words(redis.url()));
  number_printed(*holder);
  const std::string value = value_of_job(redis);
  redis.command({"FLUSHALL"});
  EXPECT_TRUE(wait_until([&] { return value_of_job(redis) == value; })) << holder->err();
  EXPECT_TRUE(holder->running());
}

TEST(Quarantine, NobodyIsGrantedWhatWasForgottenBeforeItsHolderIsGone) {
  RedisServer redis;
  EXPECT_EQ(tenure(Words{"init", "--redis", redis.url()} + short_cap).code, 0);
  const auto holder = start_tenure(Job{.options = patient, .command = stay()}.words(redis.url()));
  const long token = number_printed(*holder);
  redis.restart();
  const auto next = start_tenure(Job{.options = patient, .command = stay()}.words(redis.url()));
  // The new one has waited for the quarantine, and now it waits for the holder.
  EXPECT_TRUE(wait_until([&] { return has(next->err(), "waiting for job: held by "); })) << next->err();
  EXPECT_TRUE(holder->running());
  EXPECT_EQ(next->out(), "");
  holder->send(SIGTERM);
  EXPECT_GT(number_printed(*next), token);
}

}  // namespace
}  // namespace tenure::test
