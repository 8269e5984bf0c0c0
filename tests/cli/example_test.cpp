// The examples do what they say.
#include <gtest/gtest.h>

#include <csignal>
#include <deque>

#include "cli/tenure_program.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

struct Keepers {
  Keepers() {
    Words urls;
    for (const auto& node : nodes) urls.push_back(node.url());
    make_ready(urls);
  }

  std::deque<RedisServer> nodes{3};

  std::unique_ptr<Process> start() const {
    Words words{paths::keeper};
    for (const auto& node : nodes) words.push_back(node.url());
    return std::make_unique<Process>(words, Process::Options{.environment = plain_environment()});
  }
};

TEST(KeeperExample, TheSecondSaysThatAnotherRunsAndExits) {  // L7
  Keepers keepers;
  const auto first = keepers.start();
  ASSERT_TRUE(prints(*first, "Lock acquired successfully, starting keeper...\nprice published, token "));
  const auto second = keepers.start();
  EXPECT_EQ(second->exit_code(), 0);
  EXPECT_EQ(second->out(), "Another keeper is running, exiting...\n");
  EXPECT_TRUE(has(second->err(), "pricing-oracle-keeper is held by ")) << second->err();

  first->send(SIGTERM);  // L12
  EXPECT_EQ(first->exit_code(), 0);
  EXPECT_TRUE(has(first->out(), "Shutting down"));
  const auto third = keepers.start();
  EXPECT_TRUE(prints(*third, "Lock acquired successfully")) << "the name was free at once";
  third->send(SIGTERM);
  third->exit_code();
}

TEST(KeeperExample, WithoutAQuorumItSaysWhichNodesFailed) {  // L8
  Keepers keepers;
  keepers.nodes[0].kill();
  keepers.nodes[1].kill();
  const auto keeper = keepers.start();
  EXPECT_EQ(keeper->exit_code(), 1);
  EXPECT_TRUE(has(keeper->err(), keepers.nodes[0].url())) << keeper->err();
  EXPECT_FALSE(has(keeper->out(), "Another keeper"));
}

TEST(ElectionExample, PrintsTheLifeOfACandidate) {  // E9
  const ReadyRedis redis;
  const Words words{paths::leader_election, redis.url()};
  const Process::Options options{.environment = plain_environment()};
  const Process one(words, options);
  ASSERT_TRUE(prints(one, "=== Demo 1: Subscribe to Leadership Events ===\n\nCandidate ID: "));
  ASSERT_TRUE(prints(one,
                     "\nLock Key: myapp:leader\nLease Duration: 00:00:30\nRenew Interval: 00:00:10\n"
                     "Grace Period: 00:00:15\n"));
  ASSERT_TRUE(prints(one, "=== Demo 2: Start Leader Election ===\n\nStarting leader election...\n"));
  ASSERT_TRUE(prints(one, "*** LEADERSHIP ACQUIRED ***\n  Candidate: "));
  ASSERT_TRUE(prints(one, "Initial election result:\n  Is Leader: True\n  Current Leader: "));
  ASSERT_TRUE(prints(one, "=== Demo 3: Monitor Leadership Status ==="));
  ASSERT_TRUE(prints(one, "Status check 1/5:\n  Is Leader: True\n"));

  const Process two(words, options);
  ASSERT_TRUE(prints(two, "Status check 1/5:\n  Is Leader: False\n  Current Leader: "));
  one.send(SIGTERM);
  EXPECT_EQ(one.exit_code(), 0);
  EXPECT_TRUE(has(one.out(), "=== Demo 4: Graceful Shutdown ===")) << one.out();
  EXPECT_TRUE(has(one.out(), "*** LEADERSHIP LOST ***")) << one.out();
  EXPECT_TRUE(prints(two, "*** LEADERSHIP ACQUIRED ***")) << "the other leads at once, not after 30 s";
  two.send(SIGTERM);
  EXPECT_EQ(two.exit_code(), 0);
}

TEST(AsyncExamples, TakeManyLocksOnOneThread) {  // A1
  const ReadyRedis redis;
  for (const char* program : {paths::async_epoll, paths::async_asio}) {
    const Process process({program, redis.url()}, {.environment = plain_environment({})});
    EXPECT_EQ(process.exit_code(), 0) << process.err();
    for (const char* job : {"job-0: token ", "job-63: token "}) EXPECT_TRUE(has(process.out(), job));
  }
}

TEST(Examples, TakeTheirNodesFromTheEnvironment) {
  const ReadyRedis redis;
  const Process::Options options{.environment = plain_environment({"TENURE_REDIS=" + redis.url()})};
  const Process keeper({paths::keeper}, options);
  EXPECT_TRUE(prints(keeper, "Lock acquired successfully")) << keeper.err();
  const Process candidate({paths::leader_election}, options);
  EXPECT_TRUE(prints(candidate, "*** LEADERSHIP ACQUIRED ***")) << candidate.err();
  for (const Process* process : {&keeper, &candidate}) {
    process->send(SIGTERM);
    EXPECT_EQ(process->exit_code(), 0);
  }
}

TEST(Examples, SayHowTheyAreUsed) {
  for (const char* program : {paths::keeper, paths::leader_election, paths::async_epoll, paths::async_asio}) {
    const Process process({program, "--help"});
    EXPECT_EQ(process.exit_code(), 0);
    EXPECT_TRUE(has(process.out(), std::string("Usage: ") + program + " [URL ...]")) << process.out();
    EXPECT_TRUE(has(process.out(), "TENURE_REDIS")) << process.out();
  }
}

}  // namespace
}  // namespace tenure::test
