// tenure run, as one meets it: who gets the name, who waits, what the exit codes say.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

class RunTest : public testing::Test {
 protected:
  Result run(const Job& what) { return tenure(what.words(redis.url())); }
  std::unique_ptr<Process> start(const Job& what) { return start_tenure(what.words(redis.url())); }

  ReadyRedis redis;
};

TEST_F(RunTest, TheExitCodeOfTheCommandComesThrough) {
  EXPECT_EQ(run({.command = {"true"}}).code, 0);
  EXPECT_EQ(run({.command = shell("exit 3")}).code, 3);
  EXPECT_EQ(run({.command = shell("exit 255")}).code, 255);
}

TEST_F(RunTest, ASignalThatEndsTheCommandComesThroughAs128PlusItsNumber) {
  EXPECT_EQ(run({.command = shell("kill -KILL $$")}).code, 128 + SIGKILL);
  EXPECT_EQ(run({.command = shell("kill -SEGV $$")}).code, 128 + SIGSEGV);
}

TEST_F(RunTest, ItSaysNothingOfItsOwnWhenAllGoesWell) {
  const Result result = run({.command = shell("echo out; echo err >&2")});
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST_F(RunTest, NoShellTouchesTheArguments) {
  const Result result = run({.command = {"printf", "%s|", "$HOME", "a  b", "*", "--", "-n", "", "';"}});
  EXPECT_EQ(result.out, "$HOME|a  b|*|--|-n||';|");
}

TEST_F(RunTest, TheNameIsTakenLiterally) {
  for (const std::string name : {"a b", "{x}", "*", "[a,b]", "ключ", "init", "<b>", "a:b#c#7", "%s", "++"}) {
    const Result result = run({.name = name, .command = shell("printf %s \"$TENURE_NAME\"")});
    EXPECT_EQ(result.code, 0) << name << ": " << result.err;
    EXPECT_EQ(result.out, name);
  }
}

TEST_F(RunTest, TheCommandSeesNameTokenAndDeadline) {
  const Result result = run(
      {.command = shell("read up rest </proc/uptime; echo $TENURE_NAME $TENURE_TOKEN $TENURE_DEADLINE $up")});
  std::istringstream words(result.out);
  std::string name;
  long token = 0;
  double deadline = 0;
  double now = 0;
  words >> name >> token >> deadline >> now;
  EXPECT_EQ(name, "job");
  EXPECT_EQ(std::to_string(token), redis.command({"GET", "tenure:fence"}).text);
  EXPECT_GT(deadline, now + 15);
  EXPECT_LT(deadline, now + 30);
}

TEST_F(RunTest, WhileItRunsTheKeyShowsTheOwnerAndExpires) {
  const auto holder = start({.options = {"--id", "web-3", "--ttl", "2s"}, .command = stay()});
  const long token = number_printed(*holder);
  const std::string value = redis.command({"GET", "redlock:job"}).text;
  EXPECT_TRUE(value.starts_with("web-3#")) << value;
  EXPECT_TRUE(value.ends_with("#" + std::to_string(token))) << value;
  const auto left = redis.command({"PTTL", "redlock:job"}).integer;
  EXPECT_GT(left, 0);
  EXPECT_LE(left, 2000);
}

TEST_F(RunTest, ALeaseIsRenewedForAsLongAsTheCommandRuns) {
  const auto holder = start({.options = {"--ttl", "2s"}, .command = shell("sleep 3; exit 4")});
  EXPECT_EQ(holder->exit_code(), 4) << holder->err();
}

TEST_F(RunTest, NothingIsLeftInRedisAfterwards) {
  run({.command = shell("exit 3")});
  EXPECT_EQ(keys(redis), only_record);
}

// L7
TEST_F(RunTest, ASecondKeeperIsToldWhoRunsAndExits) {
  const auto first = start({.options = {"--id", "web-3"}, .command = stay()});
  const long token = number_printed(*first);
  const Result second = run({.options = {"-n"}, .command = shell("echo must not run")});
  expect_told_of_web_3(second, token);
}

TEST_F(RunTest, TheExitCodeForABusyNameCanBeChosenAndTheMessageLeftOut) {
  const auto first = start({.command = stay()});
  number_printed(*first);
  EXPECT_EQ(run({.options = {"-n", "-E", "1"}}).code, 1);
  EXPECT_EQ(run({.options = {"--no-wait", "--busy-code", "255"}}).code, 255);
  const Result quiet = run({.options = {"-n", "-q"}});
  EXPECT_EQ(quiet.code, 75);
  EXPECT_EQ(quiet.err, "");
}

TEST_F(RunTest, AKeyThatTenureDidNotWriteIsNamedAndLeftAlone) {
  redis.command({"SET", "redlock:job", "by\x1b[31mhand"});
  const Result result = run({.options = {"-n"}});
  EXPECT_EQ(result.code, 75);
  EXPECT_EQ(result.err,
            "tenure: job is held by \"by\\x1b[31mhand\", which Tenure did not write, with no expiry\n");
  EXPECT_EQ(redis.command({"GET", "redlock:job"}).text, "by\x1b[31mhand");
  redis.command({"LPUSH", "redlock:list", "x"});
  EXPECT_EQ(run({.name = "list", .options = {"-n"}}).err,
            "tenure: list is held by something that Tenure did not write, with no expiry\n");
}

TEST_F(RunTest, OtherNamesAndOtherPrefixesDoNotContend) {
  const auto first = start({.command = stay()});
  number_printed(*first);
  EXPECT_EQ(run({.name = "other", .options = {"-n"}}).code, 0);
  EXPECT_EQ(run({.options = {"-n", "--lock-prefix", "mine:"}}).code, 0);
}

// T16
TEST_F(RunTest, AWaitThatIsOverNeverReadsAsSuccess) {
  const auto first = start({.command = stay()});
  number_printed(*first);
  const Result second = run({.options = {"--wait", "200ms"}, .command = shell("echo must not run")});
  EXPECT_EQ(second.code, 124);
  EXPECT_EQ(second.out, "");
  EXPECT_TRUE(has(second.err, "tenure: waiting for job: held by ")) << second.err;
  EXPECT_TRUE(has(second.err, "tenure: waited too long for job: held by ")) << second.err;
}

TEST_F(RunTest, AWaiterGetsTheNameWhenTheFirstEndsAndALargerToken) {
  const auto first = start({.command = stay()});
  const long token = number_printed(*first);
  const auto second = start({.command = shell("echo $TENURE_TOKEN; exit 6")});
  EXPECT_TRUE(wait_until([&] { return has(second->err(), "waiting for job: held by "); }));
  EXPECT_EQ(second->out(), "");
  first->send(SIGTERM);
  EXPECT_EQ(second->exit_code(), 6);
  EXPECT_GT(number_printed(*second), token);
}

// T37
TEST_F(RunTest, ASignalWhileWaitingEndsItAndLeavesNothingBehind) {
  const auto first = start({.command = stay()});
  number_printed(*first);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const auto waiter = start({.command = shell("echo must not run")});
    EXPECT_TRUE(wait_until([&] { return has(waiter->err(), "waiting"); }));
    waiter->send(signal);
    EXPECT_EQ(waiter->exit_code(), 128 + signal);
    EXPECT_EQ(waiter->out(), "");
  }
  first->send(SIGTERM);
  first->exit_code();
  EXPECT_EQ(keys(redis), only_record);
}

TEST_F(RunTest, SomeSignalsMeanNothingToAWaiter) {
  const auto first = start({.command = stay()});
  number_printed(*first);
  const auto waiter = start({.command = shell("exit 6")});
  EXPECT_TRUE(wait_until([&] { return has(waiter->err(), "waiting"); }));
  waiter->send(SIGUSR1);
  waiter->send(SIGWINCH);
  first->send(SIGTERM);
  EXPECT_EQ(waiter->exit_code(), 6);
}

TEST_F(RunTest, AnotherCapIsRefusedWithBothCaps) {
  const Result result = run({.options = {"--ttl-max", "2m"}});
  EXPECT_EQ(result.code, 76);
  EXPECT_TRUE(
      has(result.err,
          "the cap of this Redis is 1m, ours is 2m; all clients must use the same ttl_max: use --ttl-max 1m"))
      << result.err;
  EXPECT_EQ(keys(redis), only_record);
}

// The environment, in the order in which it counts.
TEST_F(RunTest, TheFlagCountsBeforeTenureRedisBeforeRedisUrl) {
  const std::string nowhere = "unix:///nowhere.sock";
  const Words command{"run", "job", "--", "true"};
  EXPECT_EQ(tenure(command, {"REDIS_URL=" + redis.url()}).code, 0);
  EXPECT_EQ(tenure(command, {"TENURE_REDIS=" + redis.url(), "REDIS_URL=" + nowhere}).code, 0);
  EXPECT_EQ(tenure(command, {"TENURE_REDIS=", "REDIS_URL=" + redis.url()}).code, 0);
  EXPECT_EQ(tenure(Job{}.words(redis.url()), {"TENURE_REDIS=" + nowhere}).code, 0);
  EXPECT_EQ(tenure(command, {"TENURE_REDIS=" + nowhere, "REDIS_URL=" + redis.url()}).code, 69);
}

TEST_F(RunTest, StoreIsAnotherWordForRedis) {
  const std::string nowhere = "unix:///nowhere.sock";
  const Words command{"run", "job", "--", "true"};
  EXPECT_EQ(tenure({"run", "job", "--store", redis.url(), "--", "true"}, {"TENURE_REDIS=" + nowhere}).code,
            0);
  EXPECT_EQ(tenure({"run", "job", "--store=" + redis.url(), "--", "true"}).code, 0);
  EXPECT_EQ(tenure(command, {"TENURE_STORE=" + redis.url(), "REDIS_URL=" + nowhere}).code, 0);
  EXPECT_EQ(tenure(command, {"TENURE_STORE=" + redis.url(), "TENURE_REDIS=" + redis.url()}).code, 0);
  const Result both = tenure(command, {"TENURE_STORE=" + redis.url(), "TENURE_REDIS=" + nowhere});
  EXPECT_EQ(both.code, 64);
  EXPECT_EQ(both.err, "tenure: TENURE_STORE and TENURE_REDIS name different nodes: set one of them\n");
}

TEST_F(RunTest, TheCapComesFromTheFlagBeforeTheEnvironment) {
  EXPECT_EQ(tenure(Job{}.words(redis.url()), {"TENURE_TTL_MAX=2m"}).code, 76);
  EXPECT_EQ(tenure(Job{.options = {"--ttl-max", "60s"}}.words(redis.url()), {"TENURE_TTL_MAX=2m"}).code, 0);
}

}  // namespace
}  // namespace tenure::test
