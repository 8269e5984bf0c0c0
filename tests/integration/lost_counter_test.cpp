// The counter of tokens is deleted by hand, and nothing else: tokens go on above those given before. G2, G23.
#include <gtest/gtest.h>

#include <atomic>

#include "poll/ledger.hpp"
#include "redis/poll/redis_results.hpp"
#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::ReleaseOutcome;
using Fate = poll::Ledger::Fate::Kind;

constexpr auto fence = "tenure:fence";

void delete_counters(Nodes& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_EQ(nodes[i].command({"DEL", fence}).integer, 1);
}

class LostCounter : public ::testing::TestWithParam<std::size_t> {
 protected:
  Nodes nodes{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Nodes, LostCounter, ::testing::Values(1, 3), ::testing::PrintToStringParamName());

TEST_P(LostCounter, TheNextTokenIsAboveAllThatWereGivenBefore) {
  auto client = client_of(nodes);
  const auto next_token = [&] {
    auto lease = client.acquire("redlock:a", wish(10s)).value();
    EXPECT_EQ(lease.release().outcome, ReleaseOutcome::released);
    return lease.token();
  };
  const auto before = next_token();
  delete_counters(nodes);
  const auto after = next_token();
  EXPECT_GT(after, before);
  EXPECT_GT(next_token(), after) << "and they are counted from there";
}

// A holder puts its lease back on a node that lacks it, and makes that node's counter anew. Others had larger tokens.
TEST(LostCounterOnThree, TokensDoNotGoOnFromAnOlderOneThatIsPutBack) {
  Nodes nodes(3);
  auto holder = client_of(nodes);
  auto other = client_of(nodes);
  const auto held = holder.acquire("redlock:held", wish(2s)).value();
  auto later = other.acquire("redlock:a", wish(10s)).value();
  ASSERT_GT(later.token(), held.token());
  EXPECT_EQ(later.release().outcome, ReleaseOutcome::released);
  ASSERT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));

  delete_counters(nodes);
  nodes[0].command({"DEL", "redlock:held"});
  ASSERT_TRUE(wait_until([&] { return nodes[0].command({"EXISTS", "redlock:held"}).integer == 1; }));
  EXPECT_GT(std::stoull(nodes[0].command({"GET", fence}).text), later.token());
}

TEST(LostCounterOfAFleet, TheResultsOfTheNextOwnerAreStored) {  // G23
  Nodes nodes(1);
  auto client = client_of(nodes);
  poll::Ledger ledger(
      std::make_unique<redis::RedisResults>(redis::RedisResults::Place{
          .address = nodes.addresses().front(), .state_prefix = "state:", .channel_prefix = "poll:events:"}),
      {}, {[](const std::string&) {}, [] {}});
  const auto fate_of_a_result = [&] {
    auto lease = client.acquire("poll:lease:s-1", wish(10s)).value();
    const std::string value = nodes.values("poll:lease:s-1").front();
    std::atomic<int> fate = -1;
    ledger.write({.session = "s-1",
                  .lease = {.key = "poll:lease:s-1", .value = value, .token = lease.token()},
                  .text = "{}"},
                 [&](const poll::Ledger::Fate& it) { fate = static_cast<int>(it.kind); });
    EXPECT_TRUE(wait_until([&] { return fate >= 0; }));
    EXPECT_EQ(lease.release().outcome, ReleaseOutcome::released);
    return static_cast<Fate>(fate.load());
  };
  EXPECT_EQ(fate_of_a_result(), Fate::stored);
  delete_counters(nodes);
  EXPECT_EQ(fate_of_a_result(), Fate::stored);
}

}  // namespace
}  // namespace tenure::test
