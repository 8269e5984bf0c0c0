#include "core/lease/subscriptions.hpp"

#include <gtest/gtest.h>

namespace tenure::core {
namespace {

// A release that a majority hears of is heard as long as the deaf are a minority.
TEST(Subscriptions, ReachAMajorityWhileTheDeafAreAMinority) {
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    Subscriptions subscribed(nodes);
    for (NodeIndex heard = 0; heard <= nodes; ++heard) {
      const std::size_t deaf = nodes - heard;
      EXPECT_EQ(subscribed.reach_majority(), 2 * deaf < nodes) << heard << " of " << nodes;
      if (heard < nodes) subscribed.set(heard, true);
    }
  }
}

TEST(Subscriptions, ANodeThatIsHeardTwiceIsStillOne) {
  Subscriptions subscribed(3);
  subscribed.set(1, true);
  subscribed.set(1, true);
  EXPECT_FALSE(subscribed.reach_majority());
  EXPECT_EQ(subscribed.nodes(), (std::vector<bool>{false, true, false}));
}

TEST(Subscriptions, WhatIsHeardNoMoreCountsNoMore) {
  Subscriptions subscribed(1);
  subscribed.set(0, true);
  EXPECT_TRUE(subscribed.reach_majority());
  subscribed.set(0, false);
  EXPECT_FALSE(subscribed.reach_majority());
}

}  // namespace
}  // namespace tenure::core
