// tenure lock break: the holder is told and stops before the name is free, and cannot put its lease back.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <csignal>

#include "cli/tenure_program.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

using Clock = std::chrono::steady_clock;

class LockBreakTest : public testing::TestWithParam<int> {
 protected:
  LockBreakTest() : nodes(static_cast<std::size_t>(GetParam())) { make_ready(urls()); }

  Words urls() const { return urls_of(nodes); }
  std::unique_ptr<Process> start(const Job& job) { return start_tenure(job.words(urls())); }
  // Renews every second, and stays until it is ended.
  std::unique_ptr<Process> hold(const Words& options = {"--ttl", "3s"}) {
    return start({.options = Words{"--id", "web-3"} + options, .command = stay()});
  }
  Words break_words(const Words& more = {"--yes"}) const {
    return Words{"lock", "break", "job"} + more + redis_options(urls());
  }
  bool all_show(const std::string& part) {
    return wait_until([&] {
      return std::ranges::all_of(
          nodes, [&](RedisServer& node) { return has(node.command({"GET", "redlock:job"}).text, part); });
    });
  }

  void put_into_quarantine() {
    for (auto& node : nodes) {
      std::string record = node.command({"GET", "tenure:record"}).text;
      record.replace(record.find(" open "), 6, " quarantined ");
      node.command({"SET", "tenure:record", record});
    }
  }

  std::vector<RedisServer> nodes;
};

INSTANTIATE_TEST_SUITE_P(OnOneNodeAndOnThree, LockBreakTest, testing::Values(1, 3),
                         [](const auto& nodes) { return std::to_string(nodes.param) + "nodes"; });

// S1: told, ended and gone before anybody else can have the name.
TEST_P(LockBreakTest, TheHolderIsToldAndItsCommandEndedBeforeTheNameIsFree) {
  const auto holder = hold({"--ttl", "6s"});  // some seconds to look while it is broken and not yet free
  const std::string token = std::to_string(number_printed(*holder));
  ASSERT_TRUE(all_show("#" + token));  // also on a node that a majority did not wait for
  const auto breaker = start_tenure(break_words());
  ASSERT_TRUE(all_show("broken by ")) << breaker->err();
  // Above the holder's: it is not taken for an older grant.
  ASSERT_TRUE(all_show("#" + std::to_string(std::stol(token) + 1)));
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  EXPECT_TRUE(breaker->running()) << "the name was free before its holder had gone";
  const Result refused = tenure(Job{.options = {"-n"}}.words(urls()));
  EXPECT_EQ(refused.code, 75);
  EXPECT_TRUE(has(refused.err, "job is held by broken by ")) << refused.err;

  EXPECT_EQ(breaker->exit_code(), 0) << breaker->err();
  EXPECT_TRUE(has(breaker->err(), "tenure: the lock job is held by web-3 for another ")) << breaker->err();
  EXPECT_TRUE(has(breaker->err(), "(token " + token + ")\n")) << breaker->err();
  EXPECT_TRUE(breaker->err().ends_with("tenure: job is free\n")) << breaker->err();
  EXPECT_EQ(tenure(Job{.options = {"-n"}, .command = shell("exit 3")}.words(urls())).code, 3);
}

TEST_P(LockBreakTest, AWaiterGetsTheNameWithALargerToken) {
  const auto holder = hold();
  const long token = number_printed(*holder);
  const auto waiter = start({.options = {"--id", "web-4"}, .command = stay()});
  ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for job"); }));
  const Result result = tenure(break_words());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_GT(number_printed(*waiter), token);
}

// In quarantine a holder may put back what was lost; what was broken was not lost.
TEST_P(LockBreakTest, InQuarantineTheHolderCannotPutItBackEither) {
  const auto holder = hold();
  number_printed(*holder);
  ASSERT_TRUE(all_show("web-3#"));
  put_into_quarantine();
  const auto breaker = start_tenure(break_words());
  ASSERT_TRUE(all_show("broken by ")) << breaker->err();
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  EXPECT_TRUE(breaker->running());
  EXPECT_EQ(breaker->exit_code(), 0) << breaker->err();
}

TEST_P(LockBreakTest, UnsafeFreesItAtOnceSaysWhatIsUnsafeAndTheHolderIsToldSoon) {
  const auto holder = hold({"--ttl", "6s"});
  const long token = number_printed(*holder);
  const auto waiter = start({.options = {"--id", "web-4"}, .command = stay()});
  ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for job"); }));
  const auto begin = Clock::now();
  const Result result = tenure(break_words({"--yes", "--unsafe"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.err,
                  "tenure: this is unsafe: web-3 goes on believing that it holds job until its next "
                  "renewal"))
      << result.err;
  EXPECT_TRUE(has(result.err, "only what checks the fencing token is protected")) << result.err;
  EXPECT_GT(number_printed(*waiter), token);
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(3'500));  // not after a TTL
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  EXPECT_TRUE(waiter->running());
}

TEST_P(LockBreakTest, UnsafeInQuarantineCannotBeUndoneByTheHolder) {
  const auto holder = hold();
  number_printed(*holder);
  ASSERT_TRUE(all_show("web-3#"));
  put_into_quarantine();
  const Result result = tenure(break_words({"--yes", "--unsafe"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.err, ", in quarantine: nobody gets a new lease there before that ends"))
      << result.err;
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
}

TEST_P(LockBreakTest, WhatIsBrokenAlreadyIsOnlyWaitedFor) {
  const auto holder = hold();
  number_printed(*holder);
  ASSERT_TRUE(all_show("web-3#"));
  const auto first = start_tenure(break_words());
  ASSERT_TRUE(all_show("broken by "));
  const auto left = nodes[0].command({"GET", "redlock:job"}).text;
  const auto second = start_tenure(break_words());
  ASSERT_TRUE(wait_until([&] { return has(second->err(), "job is broken by "); })) << second->err();
  EXPECT_EQ(nodes[0].command({"GET", "redlock:job"}).text, left);
  EXPECT_EQ(first->exit_code(), 0) << first->err();
  EXPECT_EQ(second->exit_code(), 0) << second->err();
}

TEST_P(LockBreakTest, OfANameThatNobodyHasItChangesNothing) {
  const Result result = tenure(break_words());
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "tenure: job is free: there is nothing to break\n");
  EXPECT_EQ(keys(nodes[0]), only_record);
}

class LockBreakOfThree : public LockBreakTest {};
INSTANTIATE_TEST_SUITE_P(Nodes, LockBreakOfThree, testing::Values(3));

// A node that has nothing would be healed at the holder's next renewal: the mark stands there, too.
TEST_P(LockBreakOfThree, ANodeThatLacksTheGrantIsNoWayBack) {
  const auto holder = hold();
  number_printed(*holder);
  ASSERT_TRUE(all_show("web-3#"));
  nodes[2].command({"DEL", "redlock:job"});
  const auto breaker = start_tenure(break_words());
  ASSERT_TRUE(all_show("broken by ")) << breaker->err();
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  EXPECT_EQ(breaker->exit_code(), 0) << breaker->err();
}

TEST_P(LockBreakOfThree, AMajorityIsEnough) {
  const auto holder = hold();
  number_printed(*holder);
  ASSERT_TRUE(all_show("web-3#"));
  nodes[1].pause();
  const auto breaker = start_tenure(break_words());
  const bool marked =
      wait_until([&] { return has(nodes[0].command({"GET", "redlock:job"}).text, "broken by "); });
  nodes[1].resume();
  ASSERT_TRUE(marked) << breaker->err();
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  EXPECT_EQ(breaker->exit_code(), 0) << breaker->err();
}

TEST(LockBreak, AKeyWithoutExpiryIsLeftUnlessUnsafe) {
  ReadyRedis redis;
  redis.command({"SET", "redlock:job", "by hand"});
  const Words words{"lock", "break", "job", "--yes", "--redis", redis.url()};
  const Result left = tenure(words);
  EXPECT_EQ(left.code, 1);
  EXPECT_TRUE(has(left.err, "waiting would never end; --unsafe deletes it at once")) << left.err;
  EXPECT_EQ(redis.command({"GET", "redlock:job"}).text, "by hand");
  EXPECT_EQ(tenure(words + Words{"--unsafe"}).code, 0);
  EXPECT_EQ(keys(redis), only_record);
  redis.command({"RPUSH", "redlock:job", "x"});
  EXPECT_EQ(tenure(words + Words{"--unsafe"}).code, 1);
  EXPECT_EQ(redis.command({"LLEN", "redlock:job"}).integer, 1);
}

// What is typed is read from a terminal; without one --yes is needed.
TEST(LockBreak, OnATerminalItAsks) {
  ReadyRedis redis;
  redis.command({"SET", "redlock:job", "web-3#0123456789abcdef#5", "PX", "60000"});
  const auto answered = [&](const std::string& answer) {
    // Open here, too: a terminal that its last user has left may lose what is still on its way to the screen.
    int keyboard = -1;
    int terminal = -1;
    EXPECT_EQ(openpty(&keyboard, &terminal, nullptr, nullptr, nullptr), 0);
    const std::string url = redis.url();
    const pid_t pid = fork();
    if (pid == 0) {
      login_tty(terminal);
      execl(paths::program, "tenure", "lock", "break", "job", "--redis", url.c_str(), nullptr);
      _exit(127);
    }
    EXPECT_EQ(write(keyboard, answer.data(), answer.size()), ssize(answer));
    // Whoever ends without a question is not waited for.
    const auto has_ended = [pid] {
      siginfo_t how{};
      return waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             how.si_pid == pid;
    };
    std::string screen;
    for (char letter = 0; !has(screen, "Break it? [y/N]");) {
      pollfd ready{keyboard, POLLIN, 0};
      if (poll(&ready, 1, 50) == 0) {
        if (has_ended()) break;
      } else if (read(keyboard, &letter, 1) == 1) {
        screen += letter;
      }
    }
    EXPECT_TRUE(has(screen, "Break it? [y/N]")) << screen;
    int status = 0;
    waitpid(pid, &status, 0);
    close(keyboard);
    close(terminal);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(answered("n\n"), 1);
  EXPECT_EQ(answered("\n"), 1);
  EXPECT_EQ(redis.command({"GET", "redlock:job"}).text, "web-3#0123456789abcdef#5");
  redis.command({"PEXPIRE", "redlock:job", "700"});
  EXPECT_EQ(answered("y\n"), 0);
  EXPECT_EQ(keys(redis), only_record);
}

}  // namespace
}  // namespace tenure::test
