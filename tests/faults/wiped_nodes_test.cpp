// Nodes of a quorum that lose everything, up to a majority of them.
#include <gtest/gtest.h>

#include "support/lease_client.hpp"
#include "support/oracle.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::RefusalCode;

constexpr core::Ttl cap{3'000};
constexpr auto key = "redlock:a";

TEST(WipedNodes, F14_OneThenTwoThenThreeOfFiveWipedTakeNoLeaseAndGiveNoTokenAgain) {  // S1, S3, S7, T49
  Nodes nodes(5, cap);
  auto holder = client_of(nodes);
  auto other = client_of(nodes);
  auto lease = holder.acquire(key, wish(cap));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(wait_until([&] { return nodes.all_show(key, nodes.values(key).at(0)); }));
  const std::string value = nodes.values(key).at(0);
  Oracle oracle;
  core::Token last = lease->token();
  {
    const Watch watch(oracle, "the holder", *lease);
    for (const std::size_t wiped : {1U, 2U, 3U}) {
      const core::Time before = lease->deadline();
      ASSERT_TRUE(wait_until([&] { return lease->deadline() > before; }));
      for (std::size_t i = 0; i < wiped; ++i) nodes[i].restart();
      ASSERT_TRUE(wait_until([&] { return nodes.all_show(key, value); })) << wiped;
      EXPECT_TRUE(lease->held()) << wiped;
      const auto taken = other.acquire(key, wish(cap));
      ASSERT_FALSE(taken);
      if (wiped < 3) {
        const auto next = other.acquire("redlock:b", wish(cap));
        ASSERT_TRUE(next) << static_cast<int>(next.error().code);
        EXPECT_GT(next->token(), last);
        last = next->token();
      } else {
        const auto refused = other.acquire("redlock:b", wish(cap));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, RefusalCode::not_open);
      }
    }
    // When the quarantine is over there are grants again, above all that were given before.
    const auto next = other.acquire("redlock:b", wish(cap, 30s));
    ASSERT_TRUE(next) << static_cast<int>(next.error().code);
    EXPECT_GT(next->token(), last);
    EXPECT_TRUE(lease->held());
    EXPECT_FALSE(lease->lost().stop_requested());
    EXPECT_TRUE(nodes.all_show(key, value));
  }
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
  const auto next = other.acquire(key, wish(cap));
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), last);
  oracle.judge();
}

}  // namespace
}  // namespace tenure::test
