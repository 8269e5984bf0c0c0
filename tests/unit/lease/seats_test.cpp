#include "core/lease/seats.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

TEST(Seats, NobodyHasALeaseThatWasNotArmed) {
  for (const std::size_t nodes : {1U, 2U, 3U, 31U}) {
    const Seats seats(nodes);
    EXPECT_EQ(seats.quorum_armed(), long_ago);
    EXPECT_FALSE(seats.hopeless());
    for (NodeIndex node = 0; node < nodes; ++node) EXPECT_EQ(seats.armed(node), long_ago);
  }
}

TEST(Seats, OfOneNodeTheOnlyOneCounts) {
  Seats seats(1);
  seats.arm(0, at(1s));
  EXPECT_EQ(seats.quorum_armed(), at(1s));
  seats.vacate(0);
  EXPECT_EQ(seats.quorum_armed(), long_ago);
}

// T7: the time at which a majority has it is that of the last of the best half, whoever they are.
TEST(Seats, AMajorityHasItSinceTheLastOfTheBestHalf) {
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    Random random(nodes);
    for (int trial = 0; trial < 100; ++trial) {
      Seats seats(nodes);
      std::vector<Time> times;
      for (NodeIndex node = 0; node < nodes; ++node) {
        times.push_back(random.below(4) == 0 ? long_ago : at(random.between(0s, 5s)));
        if (times.back() != long_ago) seats.arm(node, times.back());
      }
      const auto since = [&](Time time) {
        return 2 * static_cast<std::size_t>(
                       std::ranges::count_if(times, [&](Time it) { return it >= time; })) >
               nodes;
      };
      const Time armed = seats.quorum_armed();
      EXPECT_TRUE(armed == long_ago || since(armed));
      EXPECT_FALSE(since(armed + 1ns));
    }
  }
}

// T41: replies may come in any order; the later send is the one that armed it.
TEST(Seats, AnOlderRenewalDoesNotUndoANewerOne) {
  Seats seats(3);
  seats.arm(1, at(5s));
  seats.arm(1, at(2s));
  EXPECT_EQ(seats.armed(1), at(5s));
}

TEST(Seats, HopelessWhenAMajorityHasRefused) {
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    Seats seats(nodes);
    for (NodeIndex node = 0; node < nodes; ++node) {
      seats.refuse(node);
      const std::size_t left = nodes - node - 1;
      EXPECT_EQ(seats.hopeless(), 2 * left <= nodes) << node + 1 << " of " << nodes;
    }
  }
}

TEST(Seats, ARefusalTakesTheLeaseAwayAndLastsUntilItIsAskedAgain) {
  Seats seats(1);
  seats.arm(0, at(1s));
  seats.refuse(0);
  EXPECT_EQ(seats.armed(0), long_ago);
  EXPECT_TRUE(seats.hopeless());
  seats.vacate(0);
  EXPECT_TRUE(seats.hopeless());
  seats.ask_again(0);
  EXPECT_FALSE(seats.hopeless());
}

TEST(Seats, ANodeThatTakesItAfterAllIsOneThatHasIt) {
  Seats seats(3);
  seats.refuse(0);
  seats.refuse(1);
  EXPECT_TRUE(seats.hopeless());
  seats.arm(0, at(1s));
  EXPECT_FALSE(seats.hopeless());
}

// One for every lease: with one node it needs no memory of its own.
TEST(Seats, AreSmall) { EXPECT_LE(sizeof(Seats), 24U); }

TEST(SeatsDeathTest, ANodeThatIsNotConfiguredStopsTheProgram) {
  EXPECT_DEATH(Seats(0), "1 to 31 nodes");
  EXPECT_DEATH(Seats(32), "1 to 31 nodes");
  EXPECT_DEATH(Seats(3).arm(3, at(0s)), "a configured node");
}

}  // namespace
}  // namespace tenure::core
