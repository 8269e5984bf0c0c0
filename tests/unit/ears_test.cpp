#include "core/ears.hpp"

#include <gtest/gtest.h>

namespace tenure::core {
namespace {

// A release that a majority hears of meets an ear as long as the deaf are a minority.
TEST(Ears, AreOpenWhileTheDeafAreAMinority) {
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    Ears ears(nodes);
    for (NodeIndex heard = 0; heard <= nodes; ++heard) {
      const std::size_t deaf = nodes - heard;
      EXPECT_EQ(ears.open(), 2 * deaf < nodes) << heard << " of " << nodes;
      if (heard < nodes) ears.set(heard, true);
    }
  }
}

TEST(Ears, ANodeThatIsHeardTwiceIsStillOne) {
  Ears ears(3);
  ears.set(1, true);
  ears.set(1, true);
  EXPECT_FALSE(ears.open());
  EXPECT_EQ(ears.nodes(), (std::vector<bool>{false, true, false}));
}

TEST(Ears, WhatIsHeardNoMoreCountsNoMore) {
  Ears ears(1);
  ears.set(0, true);
  EXPECT_TRUE(ears.open());
  ears.set(0, false);
  EXPECT_FALSE(ears.open());
}

}  // namespace
}  // namespace tenure::core
