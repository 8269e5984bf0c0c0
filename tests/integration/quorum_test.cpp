// One, three and five nodes: what a majority gives is a lease, and what fails is named.
#include <gtest/gtest.h>

#include <set>

#include "runtime/boot_clock.hpp"
#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using core::FailureCode;
using core::RefusalCode;
using core::ReleaseOutcome;
using runtime::boot_now;
using namespace std::chrono_literals;

// What a call with a node timeout of a second or less takes at most, on a machine with much else to do.
constexpr auto soon = 8s;

bool renewed(const runtime::Lease& lease) {
  const core::Time before = lease.deadline();
  return wait_until([&] { return lease.deadline() > before; });
}

std::set<core::NodeIndex> failed_nodes(const std::vector<core::NodeFailure>& failures) {
  std::set<core::NodeIndex> nodes;
  for (const auto& failure : failures) nodes.insert(failure.node);
  return nodes;
}

class QuorumTest : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Nodes, QuorumTest, ::testing::Values(1, 3, 5), ::testing::PrintToStringParamName());

TEST_P(QuorumTest, ALeaseIsOnAllNodesWithOneTokenIsRenewedAndGoneWhenGivenBack) {  // S3, L9
  Nodes nodes(GetParam());
  auto client = client_of(nodes);
  auto lease = client.acquire("redlock:a", wish(2s));
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->held());
  const auto ends = "#" + std::to_string(lease->token());
  ASSERT_TRUE(wait_until([&] {
    const auto values = nodes.values("redlock:a");
    return nodes.all_show("redlock:a", values[0]) && values[0].ends_with(ends);
  }));
  const auto value = nodes.values("redlock:a")[0];
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(renewed(*lease));
  EXPECT_TRUE(nodes.all_show("redlock:a", value));
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  EXPECT_FALSE(lease->held());
  EXPECT_TRUE(nodes.none_has("redlock:a"));
}

// A client that knows the clocks proposes a token that all nodes can mint: they are asked to give it and to take it back,
// and nothing else.
TEST_P(QuorumTest, WhoeverIsAloneNeedsOneRound) {
  Nodes nodes(GetParam());
  auto client = client_of(nodes);
  auto first = client.acquire("redlock:first", wish(10s));
  ASSERT_TRUE(first);
  const auto on_all = [&] {
    const auto values = nodes.values("redlock:first");
    return nodes.all_show("redlock:first", values[0]) && !values[0].empty();
  };
  ASSERT_TRUE(wait_until(on_all));
  EXPECT_EQ(first->release().outcome, ReleaseOutcome::released);
  // The release is the last that it has asked of each.
  ASSERT_TRUE(wait_until([&] { return nodes.none_has("redlock:first"); }));
  // With or without the text of the script: a release brings it along once more where a node was slow to say that it did not
  // know another one.
  const auto calls = [&] {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      all.push_back(calls_of(nodes[i], "evalsha") + calls_of(nodes[i], "eval"));
    return all;
  };
  constexpr std::int64_t rounds = 20;
  std::vector<std::int64_t> expected = calls();
  core::Token last = 0;
  for (int i = 0; i < rounds; ++i) {
    auto lease = client.acquire("redlock:a", wish(10s));
    ASSERT_TRUE(lease);
    EXPECT_GT(lease->token(), last);
    last = lease->token();
    EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  }
  for (std::int64_t& it : expected) it += 2 * rounds;
  EXPECT_TRUE(wait_until([&] { return calls() == expected; }))
      << testing::PrintToString(calls()) << " instead of " << testing::PrintToString(expected);
}

TEST_P(QuorumTest, TheSecondIsToldWhoHoldsItAndItsTokenIsLarger) {  // L2, S3
  Nodes nodes(GetParam());
  auto first = client_of(nodes, {.owner = "web-1"});
  auto second = client_of(nodes, {.owner = "web-2"});
  auto lease = first.acquire("redlock:a", wish(10s));
  ASSERT_TRUE(lease);
  const auto refused = second.acquire("redlock:a", wish(10s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::held);
  ASSERT_TRUE(refused.error().held);
  EXPECT_EQ(refused.error().held->holder.owner, "web-1");
  EXPECT_GT(refused.error().held->left, core::Ttl::zero());
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  const auto next = second.acquire("redlock:a", wish(10s));
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
}

TEST_P(QuorumTest, ManyThreadsNeverHoldOneNameTogetherAndTokensGrow) {  // S1, S3, L6, L7
  constexpr int threads = 4;
  constexpr int rounds = 5;
  Nodes nodes(GetParam());
  std::atomic<int> inside = 0;
  std::atomic<int> held = 0;
  std::atomic<core::Token> last = 0;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        auto client = client_of(nodes);
        for (int round = 0; round < rounds; ++round) {
          const auto lease = client.acquire("redlock:a", wish(10s, 50s));
          ASSERT_TRUE(lease) << static_cast<int>(lease.error().code);
          EXPECT_EQ(inside.fetch_add(1), 0) << "two hold one name";
          EXPECT_GT(lease->token(), last.exchange(lease->token()));
          held += 1;
          inside.fetch_sub(1);
        }
      });
    }
  }
  EXPECT_EQ(held, threads * rounds);
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
}

TEST(Quorum, WithOneOfThreeNodesDownNothingChanges) {  // T5, L8
  Nodes nodes(3);
  nodes[1].kill();
  auto client = client_of(nodes);
  auto lease = client.acquire("redlock:a", wish(2s));
  ASSERT_TRUE(lease);
  EXPECT_TRUE(renewed(*lease));
  EXPECT_TRUE(renewed(*lease));
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  EXPECT_EQ(nodes[0].command({"EXISTS", "redlock:a"}).integer, 0);
  EXPECT_EQ(nodes[2].command({"EXISTS", "redlock:a"}).integer, 0);
}

TEST(Quorum, ANodeThatGoesDownWhileHeldChangesNothingAndGetsTheLeaseWhenItIsBack) {  // T5, T19, L5
  Nodes nodes(3, 2s);
  auto client = client_of(nodes);
  auto lease = client.acquire("redlock:a", wish(2s));
  ASSERT_TRUE(lease);
  // A majority is enough to have it; the first node may be the one that is late.
  ASSERT_TRUE(wait_until([&] { return nodes.all_show("redlock:a", nodes.values("redlock:a").at(0)); }));
  const auto value = nodes.values("redlock:a").at(0);
  nodes[1].kill();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(renewed(*lease));
  nodes[1].restart();
  EXPECT_TRUE(wait_until([&] { return nodes.all_show("redlock:a", value); }));
  EXPECT_TRUE(lease->held());
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  EXPECT_TRUE(nodes.none_has("redlock:a"));
}

TEST(Quorum, WithTwoOfThreeNodesDownItIsRefusedAndBothAreNamed) {  // T7, T8
  Nodes nodes(3);
  nodes[0].kill();
  nodes[2].kill();
  auto client = client_of(nodes);
  const auto begun = boot_now();
  const auto refused = client.acquire("redlock:a", wish(2s));
  EXPECT_LT(boot_now() - begun, soon);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
  EXPECT_EQ(failed_nodes(refused.error().failures), (std::set<core::NodeIndex>{0, 2}));
  for (const auto& it : refused.error().failures) EXPECT_EQ(it.failure.code, FailureCode::unreachable);
  // The grant of the one that answered is taken back (T11).
  EXPECT_TRUE(wait_until([&] { return nodes[1].command({"EXISTS", "redlock:a"}).integer == 0; }));
}

TEST(Quorum, TwoOfThreeNodesThatHangAreGivenUpAfterTheNodeTimeout) {  // T8, T11
  Nodes nodes(3);
  auto client = client_of(nodes);
  nodes[0].pause();
  nodes[1].pause();
  const auto begun = boot_now();
  const auto refused = client.acquire("redlock:a", wish(2s));
  EXPECT_GE(boot_now() - begun, wish(2s).timing.node_timeout);
  EXPECT_LT(boot_now() - begun, soon);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
  EXPECT_EQ(failed_nodes(refused.error().failures), (std::set<core::NodeIndex>{0, 1}));
  for (const auto& it : refused.error().failures) EXPECT_EQ(it.failure.code, FailureCode::timed_out);
  nodes[0].resume();
  nodes[1].resume();
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
  EXPECT_TRUE(wait_until([&] { return client.acquire("redlock:a", wish(2s)).has_value(); }));
}

TEST(Quorum, ANodeThatHangsInReleaseIsNotWaitedForOnceAMajorityHasAnswered) {  // T8
  Nodes nodes(3);
  auto client = client_of(nodes);
  auto lease = client.acquire("redlock:a", wish(2s));
  ASSERT_TRUE(lease);
  nodes[2].pause();
  const auto begun = boot_now();
  const auto released = lease->release();
  EXPECT_LT(boot_now() - begun, soon);
  EXPECT_EQ(released.outcome, ReleaseOutcome::released);
  EXPECT_EQ(failed_nodes(released.failures), (std::set<core::NodeIndex>{}));
  // It has been asked all the same.
  nodes[2].resume();
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
}

TEST(Quorum, AHolderThatLosesTheMajorityIsToldInTime) {  // T42, S11
  Nodes nodes(3);
  auto client = client_of(nodes);
  auto lease = client.acquire("redlock:a", wish(1s));
  ASSERT_TRUE(lease);
  std::promise<core::Duration> early;
  const std::stop_callback on_lost(lease->lost(), [&] { early.set_value(lease->deadline() - boot_now()); });
  nodes[0].kill();
  nodes[1].kill();
  auto told = early.get_future();
  ASSERT_EQ(told.wait_for(10s), std::future_status::ready);
  EXPECT_GT(told.get(), 0ms);
  EXPECT_EQ(lease->loss(), core::LossReason::not_renewed);
  EXPECT_TRUE(wait_until([&] { return !lease->held(); }));
}

TEST(Quorum, AWaiterGetsItThroughTheNodesThatAreLeft) {  // T5, L7
  Nodes nodes(3);
  nodes[1].kill();
  auto first = client_of(nodes);
  auto second = client_of(nodes);
  auto lease = first.acquire("redlock:a", wish(30s));
  ASSERT_TRUE(lease);
  Wanting wanting(second, "redlock:a", wish(30s, for_ever));
  ASSERT_TRUE(wait_until([&] {
    return tickets(nodes[0], "redlock:a").size() == 1 && tickets(nodes[2], "redlock:a").size() == 1;
  }));
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  const auto next = wanting.get();
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
}

}  // namespace
}  // namespace tenure::test
