// The examples do what they say.
#include <gtest/gtest.h>

#include <csignal>
#include <deque>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

struct Keepers {
  std::deque<ReadyRedis> nodes{3};

  std::unique_ptr<Process> start() const {
    Words words{TENURE_EXAMPLE_KEEPER};
    for (const auto& node : nodes) words.push_back(node.url());
    return std::make_unique<Process>(words);
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

}  // namespace
}  // namespace tenure::test
