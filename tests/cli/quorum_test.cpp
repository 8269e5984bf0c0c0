// Several nodes: a majority decides, and what a minority does matters to nobody.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

class QuorumTest : public testing::Test {
 protected:
  QuorumTest() { make_ready(urls()); }

  Words urls() const { return urls_of(nodes); }
  Result run(const Job& what) { return tenure(what.words(urls())); }
  std::unique_ptr<Process> start(const Job& what) { return start_tenure(what.words(urls())); }

  // What a majority shows when the command runs; the others may be a moment late.
  std::string value_of_job(long token) {
    for (RedisServer& node : nodes) {
      const std::string value = node.command({"GET", "redlock:job"}).text;
      if (value.ends_with("#" + std::to_string(token))) return value;
    }
    return "no node shows the token";
  }
  bool all_show(const std::string& value) {
    return wait_until([&] {
      return std::ranges::all_of(
          nodes, [&](RedisServer& node) { return node.command({"GET", "redlock:job"}).text == value; });
    });
  }
  bool all_are_empty() {
    return wait_until([&] {
      return std::ranges::all_of(nodes, [](RedisServer& node) { return keys(node) == only_record; });
    });
  }

  RedisServer nodes[3];
};

TEST_F(QuorumTest, ARunLeavesNothingOnAnyNode) {
  const Result result = run({.command = shell("echo $TENURE_TOKEN; exit 3")});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(all_are_empty());
}

TEST_F(QuorumTest, WhileItRunsTheNodesShowTheOwnerAndOneToken) {
  const auto holder = start({.options = {"--id", "web-3", "--ttl", "1s"}, .command = stay()});
  const std::string value = value_of_job(number_printed(*holder));
  EXPECT_TRUE(value.starts_with("web-3#")) << value;
  EXPECT_TRUE(all_show(value));
}

TEST_F(QuorumTest, TheNodesMayStandInTheEnvironment) {
  const Result result = tenure({"run", "job", "--", "sh", "-c", "exit 3"},
                               {"TENURE_REDIS=" + urls()[0] + "," + urls()[1] + "," + urls()[2]});
  EXPECT_EQ(result.code, 3) << result.err;
}

TEST_F(QuorumTest, ABusyNameIsToldWithItsHolder) {
  const auto first = start({.options = {"--id", "web-3"}, .command = stay()});
  const long token = number_printed(*first);
  const Result second = run({.options = {"-n"}, .command = shell("echo must not run")});
  expect_told_of_web_3(second, token);
}

TEST_F(QuorumTest, AWaiterGetsTheNameAndALargerToken) {
  const auto first = start({.command = stay()});
  const long token = number_printed(*first);
  const auto second = start({.command = shell("echo $TENURE_TOKEN; exit 6")});
  EXPECT_TRUE(wait_until([&] { return has(second->err(), "waiting for job: held by "); }));
  first->send(SIGTERM);
  EXPECT_EQ(second->exit_code(), 6);
  EXPECT_GT(number_printed(*second), token);
  EXPECT_TRUE(all_are_empty());
}

// T5
TEST_F(QuorumTest, OneOfThreeNodesDownChangesNothing) {
  nodes[1].kill();
  const Result result = run({.options = {"-n"}, .command = shell("exit 3")});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err, "");
}

TEST_F(QuorumTest, ANodeThatDiesUnderARunningCommandChangesNothing) {
  const auto holder =
      start({.options = {"--ttl", "600ms"}, .command = shell("echo ready; sleep 1.5; exit 3")});
  ASSERT_TRUE(prints(*holder, "ready"));
  nodes[0].kill();
  EXPECT_EQ(holder->exit_code(), 3) << holder->err();
}

TEST_F(QuorumTest, AHolderOutlivesThatAllNodesAreWipedInTurn) {
  const auto holder = start({.options = {"--ttl", "2s"}, .command = stay()});
  const std::string value = value_of_job(number_printed(*holder));
  for (RedisServer& node : nodes) {
    node.restart();
    EXPECT_TRUE(all_show(value)) << holder->err();
  }
  EXPECT_TRUE(holder->running()) << holder->err();
}

TEST_F(QuorumTest, TwoOfThreeNodesDownAreNamedEachWithItsReason) {
  nodes[0].kill();
  nodes[2].kill();
  const Result result = run({.options = {"-n"}, .command = shell("echo must not run")});
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with(
      "tenure: 2 of 3 nodes must answer, and 2 failed:\ntenure:   " + urls()[0] + ": connection refused"))
      << result.err;
  EXPECT_TRUE(has(result.err, "\ntenure:   " + urls()[2] + ": connection refused")) << result.err;
  EXPECT_FALSE(has(result.err, urls()[1])) << result.err;
  EXPECT_EQ(keys(nodes[1]), only_record);
}

TEST_F(QuorumTest, NodesThatDoNotAnswerAreGivenUpAfterTheNodeTimeout) {
  nodes[0].pause();
  nodes[1].pause();
  const auto began = std::chrono::steady_clock::now();
  const Result result = run({.options = {"--ttl", "2s"}});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "2 of 3 nodes must answer, and 2 failed:\n")) << result.err;
  EXPECT_TRUE(has(result.err, urls()[0] + ": no answer in time\n")) << result.err;
  EXPECT_TRUE(has(result.err, urls()[1] + ": no answer in time\n")) << result.err;
}

TEST_F(QuorumTest, AWipedMinorityAbstainsAndNobodyWaits) {
  nodes[1].restart();
  EXPECT_EQ(run({.options = {"-n"}, .command = shell("exit 3")}).code, 3);
}

// F14
TEST_F(QuorumTest, AWipedMajorityIsAQuarantine) {
  nodes[0].restart();
  nodes[1].restart();
  const Result result = run({.options = {"-n"}});
  EXPECT_EQ(result.code, 76);
  const std::string why =
      " have no record of Tenure: new, or their data was lost, and 2 of 3 nodes must give a lease. New "
      "grants "
      "within 66s, once a client waits for them. For that a node must still have its record, or none may be "
      "away (gone for good: tenure reconfigure without it). "
      "If they are new, tenure init opens them at once: tenure init --redis " +
      urls()[0] + " --redis " + urls()[1] + " --redis " + urls()[2] + "\n";
  EXPECT_TRUE(result.err == "tenure: " + urls()[0] + " and " + urls()[1] + why ||
              result.err == "tenure: " + urls()[1] + " and " + urls()[0] + why)
      << result.err;
}

TEST_F(QuorumTest, AReleaseThatFailsNamesTheNodes) {
  const auto holder = start({.command = stay()});
  number_printed(*holder);
  for (RedisServer& node : nodes) node.kill();
  holder->send(SIGTERM);
  EXPECT_EQ(holder->exit_code(), 128 + SIGTERM);
  EXPECT_TRUE(
      has(holder->err(),
          "tenure: could not release job, which ends by itself within 30s:\ntenure:   " + urls()[0] + ": "))
      << holder->err();
}

TEST(QuorumInTheEnvironment, APasswordMayHoldAComma) {
  const std::string password = "a,redis,b";
  ReadyRedis one({.arguments = {"--requirepass", password}, .password = password}, ":" + password);
  const std::string nodes = "TENURE_REDIS=" + one.url(":" + password);
  EXPECT_EQ(tenure({"run", "job", "--", "true"}, {nodes}).code, 0);
  const Result none =
      tenure({"run", "job", "-n", "--", "true"}, {nodes + ", unix:///no/such,unix:///either"});
  EXPECT_EQ(none.code, 69);
  EXPECT_TRUE(has(none.err, "tenure:   unix:///no/such: there is no such socket\n")) << none.err;
  EXPECT_FALSE(has(none.err, password)) << none.err;
}

TEST(EvenQuorum, WorksAndIsWarnedOf) {
  RedisServer one;
  RedisServer other;
  const Words urls{one.url(), other.url()};
  const std::string warning =
      "tenure: 2 nodes: an even number tolerates no more failures than 1; take one more or one less\n";
  const Result made = tenure(Words{"init"} + redis_options(urls));
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(made.err, warning);
  EXPECT_EQ(tenure(Job{}.words(urls)).err, warning);
  const Result quiet = tenure(Job{.options = {"-q"}}.words(urls));
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.err, "");
  other.kill();
  const Result broken = tenure(Job{.options = {"-n", "-q"}}.words(urls));
  EXPECT_EQ(broken.code, 69);
  EXPECT_TRUE(broken.err.starts_with("tenure: 2 of 2 nodes must answer: " + urls[1] + ": ")) << broken.err;
}

class InitOfSeveral : public testing::Test {
 protected:
  Words urls() const { return urls_of(nodes); }
  Result init() { return tenure(Words{"init"} + redis_options(urls())); }

  RedisServer nodes[3];
};

TEST_F(InitOfSeveral, EachNodeHasItsLine) {
  const Result made = init();
  EXPECT_EQ(made.code, 0);
  std::string lines;
  for (const auto& url : urls())
    lines += url + ": made: this Redis is ready for Tenure (leases of at most 1m)\n";
  EXPECT_EQ(made.out, lines);
  EXPECT_EQ(made.err, "");
}

TEST_F(InitOfSeveral, ChangesNothingUnlessAllNodesAnswer) {
  nodes[1].kill();
  const Result failed = init();
  EXPECT_EQ(failed.code, 69);
  EXPECT_EQ(failed.out, "");
  EXPECT_TRUE(failed.err.starts_with("tenure: " + urls()[1] + ": connection refused")) << failed.err;
  EXPECT_TRUE(failed.err.ends_with("\ntenure: nothing was changed on any node\n")) << failed.err;
  EXPECT_EQ(keys(nodes[0]), Words{});
  EXPECT_EQ(keys(nodes[2]), Words{});
}

// Made open at once, a node that has lost its leases would vote for a second owner.
TEST_F(InitOfSeveral, ANodeWithoutARecordBesideOthersIsLeftToItsQuarantine) {
  EXPECT_EQ(init().code, 0);
  nodes[1].restart();
  const Result again = init();
  EXPECT_EQ(again.code, 73);
  EXPECT_EQ(again.out, "");
  EXPECT_TRUE(has(again.err, urls()[0] + ": it has a record of Tenure already (open, leases of at most 1m); "
                                         "nothing was changed there\n"))
      << again.err;
  EXPECT_TRUE(has(again.err, urls()[1] + ": it has no record of Tenure, and others have")) << again.err;
  EXPECT_TRUE(has(again.err, "it joins by itself, 66s after a client has come to stay\n")) << again.err;
  EXPECT_EQ(keys(nodes[1]), Words{});
}

TEST_F(QuorumTest, ARunEndsWithoutWaitingForASilentMinority) {
  // Nothing is renewed before the command ends: the release is the first that the node does not answer.
  const auto holder = start({.options = {"--ttl", "60s"}, .command = stay()});
  number_printed(*holder);
  nodes[2].pause();
  const auto began = std::chrono::steady_clock::now();
  holder->send(SIGTERM);
  EXPECT_EQ(holder->exit_code(), 128 + SIGTERM) << holder->err();
  // A node has a second to answer, and a client that ends waits another one for what it has not said yet.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(1'800));
  EXPECT_EQ(holder->err(), "");
  EXPECT_EQ(run({.options = {"-n"}}).code, 0) << "free at once, on two of three";
  nodes[2].resume();
}

}  // namespace
}  // namespace tenure::test
