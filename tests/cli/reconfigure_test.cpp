// Which nodes decide together: a client that names another set gets nothing, and a set can be changed while it is used.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

// A set of three, and two more nodes. The cap is short: a change takes a little longer than that.
class NodeSetTest : public testing::Test {
 protected:
  NodeSetTest() {
    const Result made = tenure(Words{"init"} + with({0, 1, 2}));
    EXPECT_EQ(made.code, 0) << made.err;
  }

  Words with(const std::vector<std::size_t>& which, const std::string& cap = "1s") {
    Words words;
    for (const std::size_t node : which) words = std::move(words) + Words{"--redis", nodes[node].url()};
    return words + Words{"--ttl-max", cap};
  }
  Words job(const std::vector<std::size_t>& which, const std::string& cap = "1s") {
    return Words{"run", "job", "-n", "--ttl", "500ms"} + with(which, cap);
  }
  Result run(const std::vector<std::size_t>& which, const std::string& cap = "1s") {
    return tenure(job(which, cap) + Words{"--", "true"});
  }
  std::unique_ptr<Process> hold(const std::vector<std::size_t>& which) {
    auto holder = start_tenure(job(which) + Words{"--"} + stay());
    EXPECT_GT(number_printed(*holder), 0);
    return holder;
  }
  Result reconfigure(const std::vector<std::size_t>& which, const Words& more = {},
                     const std::string& cap = "1s") {
    return tenure(Words{"reconfigure", "--yes"} + with(which, cap) + more);
  }
  std::string record(std::size_t node) { return nodes[node].command({"GET", "tenure:record"}).text; }

  RedisServer nodes[5];
};

// Two majorities that share no node would both give the name.
TEST_F(NodeSetTest, WhoNamesFiveNodesGetsNothingWhereThreeOfThemAreASet) {
  const auto holder = hold({0, 1, 2});
  nodes[2].command({"DEL", "redlock:job"});  // as if it had been away when the name was given
  const Result other = run({0, 1, 2, 3, 4});
  EXPECT_EQ(other.code, 76) << other.out << other.err;
  EXPECT_TRUE(has(other.err, "it belongs to a set of 3 nodes (3-")) << other.err;
  EXPECT_TRUE(has(other.err,
                  "and you name 5 nodes: name the nodes of that set; how to change a set: tenure help "
                  "reconfigure\n"))
      << other.err;
  EXPECT_TRUE(holder->running());
}

TEST_F(NodeSetTest, WhoNamesOneNodeInThePlaceOfAnotherGetsNothing) {
  EXPECT_EQ(run({0, 1, 2}).code, 0);
  const Result other = run({0, 1, 3});
  EXPECT_EQ(other.code, 76) << other.err;
  EXPECT_TRUE(has(other.err, "it belongs to another set of 3 nodes (3-")) << other.err;
}

TEST_F(NodeSetTest, TheOrderOfTheNodesDoesNotMatter) { EXPECT_EQ(run({2, 0, 1}).code, 0); }

TEST_F(NodeSetTest, WhoNamesOneNodeOfThreeGetsNothing) {
  const Result other = run({0});
  EXPECT_EQ(other.code, 76);
  EXPECT_TRUE(has(other.err, "it belongs to a set of 3 nodes (3-")) << other.err;
  EXPECT_TRUE(has(other.err, "), and you name 1 node: ")) << other.err;
}

// Two nodes that are new would be a majority of the three: it must not last until their quarantine is over.
TEST_F(NodeSetTest, WhoNamesTwoNewNodesBesideOneOfOthersGetsNothingHoweverLongItWaits) {
  // Away, so that nothing is known of it; somebody stays who waits, and others come and go.
  nodes[0].pause();
  const auto waiter = start_tenure(Words{"run", "job", "--wait", "4s", "--ttl", "500ms"} + with({0, 3, 4}) +
                                   Words{"--", "true"});
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
       std::chrono::steady_clock::now() < end;) {
    EXPECT_NE(run({0, 3, 4}).code, 0);
  }
  EXPECT_TRUE(waiter->running()) << waiter->err();
  nodes[0].resume();
  EXPECT_NE(waiter->exit_code(), 0) << waiter->out();
  EXPECT_TRUE(has(record(3), " quarantined ")) << record(3);
  EXPECT_TRUE(has(record(4), " quarantined ")) << record(4);
}

TEST_F(NodeSetTest, ASetHasTheNameThatEverybodyGives) {
  const Words named{"--node-set", "billing"};
  EXPECT_EQ(reconfigure({0, 1, 2}, named).code, 0);
  EXPECT_EQ(tenure(job({0, 1, 2}) + named + Words{"--", "true"}).code, 0);
  EXPECT_EQ(tenure(job({0, 1, 2}) + Words{"--", "true"}, {"TENURE_NODE_SET=billing"}).code, 0);
  EXPECT_EQ(run({0, 1, 2}).code, 76);
  const Result bad = tenure(job({0, 1, 2}) + Words{"--node-set", "a b", "--", "true"});
  EXPECT_EQ(bad.code, 64);
}

// A name may stand for other nodes than before; then whoever has the old list would not be refused.
TEST_F(NodeSetTest, ASetOfOtherNodesGetsAnotherName) {
  const Words named{"--node-set", "billing"};
  ASSERT_EQ(reconfigure({0, 1, 2}, named).code, 0);
  const Result refused = reconfigure({0, 1, 3}, named);
  EXPECT_EQ(refused.code, 73);
  EXPECT_TRUE(has(refused.err, "a set of the name billing is in use, and " + nodes[3].url() +
                                   " is not one of its nodes: give the new set another --node-set"))
      << refused.err;
  EXPECT_EQ(reconfigure({0, 1, 3}, {"--node-set", "billing-2"}).code, 0);
}

TEST_F(NodeSetTest, APollerHasTheNameOfItsSet) {
  const Words named{"--node-set", "billing"};
  ASSERT_EQ(reconfigure({0, 1, 2}, named).code, 0);
  ASSERT_EQ(tenure(Words{"sessions", "add", "s-1", "http://127.0.0.1:1/"} + with({0, 1, 2}) + named).code, 0);
  const auto poller =
      start_tenure(Words{"poll", "--id", "web-1", "--ttl", "900ms"} + with({0, 1, 2}) + named);
  EXPECT_TRUE(wait_until([&] {
    return nodes[0].command({"GET", "poll:lease:s-1"}).text.starts_with("web-1#");
  })) << poller->out()
      << poller->err();
}

TEST_F(NodeSetTest, TheDoctorSaysThatANodeBelongsToOthers) {
  const Result told = tenure(Words{"doctor"} + with({0, 3, 4}));
  EXPECT_EQ(told.code, 2);
  EXPECT_TRUE(has(told.out, "it belongs to another set of 3 nodes")) << told.out;
}

TEST_F(NodeSetTest, ThreeNodesBecomeFive) {
  const auto holder = hold({0, 1, 2});
  const Result changed = reconfigure({0, 1, 2, 3, 4});
  EXPECT_EQ(changed.code, 0) << changed.err;
  EXPECT_EQ(changed.out, "done: these 5 nodes decide, with leases of at most 1s\n");
  EXPECT_TRUE(has(changed.err, "All leases on the nodes named end, and nobody gets a new one for 2s\n"))
      << changed.err;
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  EXPECT_EQ(run({0, 1, 2, 3, 4}).code, 0);
  const Result old = run({0, 1, 2});
  EXPECT_EQ(old.code, 76);
  EXPECT_TRUE(has(old.err, "it belongs to a set of 5 nodes (5-")) << old.err;
}

TEST_F(NodeSetTest, ThreeNodesBecomeOneAndWhoLeftSaysSo) {
  ASSERT_EQ(reconfigure({0}, {"--leaving", nodes[1].url(), "--leaving", nodes[2].url()}).code, 0);
  EXPECT_EQ(run({0}).code, 0);
  const Result old = run({1});
  EXPECT_EQ(old.code, 76);
  EXPECT_TRUE(
      has(old.err,
          "it was taken out of its set of nodes by tenure reconfigure: name the nodes that decide now\n"))
      << old.err;
}

// Whoever held a name before, and whoever gets it after: the token grows, and they do not meet.
TEST_F(NodeSetTest, TokensGrowOverAChange) {
  const auto token = [&](const std::vector<std::size_t>& which) {
    return std::stol(tenure(job(which) + Words{"--", "sh", "-c", "echo $TENURE_TOKEN"}).out);
  };
  // The new nodes gave tokens before, for somebody else, and are far behind.
  for (const std::size_t node : {3U, 4U}) nodes[node].command({"SET", "tenure:fence", "1000000000000001"});
  const auto before = token({0, 1, 2});
  ASSERT_GT(before, 0);
  ASSERT_EQ(reconfigure({2, 3, 4}, {"--leaving", nodes[1].url()}).code, 0);
  EXPECT_GT(token({2, 3, 4}), before);
}

TEST_F(NodeSetTest, ADeadNodeIsReplaced) {
  nodes[2].kill();
  const Result changed = reconfigure({0, 1, 3});
  EXPECT_EQ(changed.code, 0) << changed.err;
  EXPECT_EQ(run({0, 1, 3}).code, 0);
  EXPECT_EQ(run({0, 1, 2}).code, 76);
}

TEST_F(NodeSetTest, AnotherCapIsGivenToNodesInUse) {
  const auto holder = hold({0, 1, 2});
  const Result changed = reconfigure({0, 1, 2}, {}, "300ms");
  EXPECT_EQ(changed.code, 0) << changed.err;
  EXPECT_TRUE(has(changed.err, "nobody gets a new one for 2s\n")) << "the longer of both: " << changed.err;
  EXPECT_EQ(holder->exit_code(), 79);
  const Result old = run({0, 1, 2});
  EXPECT_EQ(old.code, 76);
  EXPECT_TRUE(has(old.err,
                  "the cap of this Redis is 300ms, ours is 1s; all clients must use the same ttl_max: use "
                  "--ttl-max 300ms"))
      << old.err;
  EXPECT_EQ(
      tenure(Words{"run", "job", "-n", "--ttl", "300ms"} + with({0, 1, 2}, "300ms") + Words{"--", "true"})
          .code,
      0);
}

TEST_F(NodeSetTest, NothingIsChangedWhereTheOldSetCouldGoOnByItself) {
  const std::string before = record(0);
  const Result refused = reconfigure({0, 3, 4});
  EXPECT_EQ(refused.code, 73);
  EXPECT_TRUE(has(refused.err, nodes[0].url() + " belongs to a set of 3 nodes (3-")) << refused.err;
  EXPECT_TRUE(has(refused.err,
                  "of which you name 1: the others could go on by themselves. Name at least 2 of them, "
                  "with --leaving those that shall not decide any more"))
      << refused.err;
  EXPECT_EQ(record(0), before);
  EXPECT_EQ(record(3), "");
  EXPECT_EQ(reconfigure({0, 3, 4}, {"--leaving", nodes[1].url()}).code, 0);
  EXPECT_EQ(run({0, 3, 4}).code, 0);
}

TEST_F(NodeSetTest, NothingIsChangedUnlessAllNodesAnswer) {
  const std::string before = record(0);
  nodes[4].kill();
  const Result failed = reconfigure({0, 1, 2, 3, 4});
  EXPECT_EQ(failed.code, 69);
  EXPECT_TRUE(has(failed.err, "nothing was changed: all nodes that are named must answer\n")) << failed.err;
  EXPECT_EQ(record(0), before);
}

// Somebody who died between two steps.
TEST_F(NodeSetTest, WhatWasBrokenOffIsSaidAndDoneByRunningItAgain) {
  for (const std::size_t node : {0U, 1U}) {
    std::string closed = record(node);
    const auto set = closed.substr(5, closed.find(' ', 5) - 5);
    closed.replace(5, set.size(), "none");
    closed.replace(closed.find(" open "), 6, " quarantined ");
    closed.replace(closed.find(" new "), std::string::npos, " " + set + ">5-x v1");
    nodes[node].command({"SET", "tenure:record", closed});
  }
  const Result told = run({0, 1, 2});
  EXPECT_EQ(told.code, 76);
  EXPECT_TRUE(
      has(told.err,
          "it is between two sets of nodes: tenure reconfigure was begun and not finished: run tenure "
          "reconfigure again, with the nodes that shall decide\n"))
      << told.err;
  const Result other = reconfigure({0, 1, 2});
  EXPECT_EQ(other.code, 73) << "somebody may have finished it with other nodes";
  EXPECT_TRUE(has(other.err, "or, if no other node gives leases as part of it, add --abandon 5-x"))
      << other.err;
  EXPECT_EQ(reconfigure({0, 1, 2}, {"--abandon", "5-x"}).code, 0);
  EXPECT_EQ(run({0, 1, 2}).code, 0);
}

TEST_F(NodeSetTest, NothingToChangeIsSaid) {
  const Result same = reconfigure({2, 1, 0});
  EXPECT_EQ(same.code, 0);
  EXPECT_EQ(same.out, "nothing to change: these 3 nodes decide, with leases of at most 1s\n");
  EXPECT_EQ(same.err, "");
}

TEST_F(NodeSetTest, WithoutATerminalItMustBeToldYes) {
  const std::string before = record(0);
  const Result refused = tenure(Words{"reconfigure"} + with({0, 1, 2}, "2s"));
  EXPECT_EQ(refused.code, 64);
  EXPECT_EQ(refused.err,
            "tenure: there is no terminal to ask on: add --yes if all leases on these nodes may end\n");
  EXPECT_EQ(record(0), before);
}

}  // namespace
}  // namespace tenure::test
