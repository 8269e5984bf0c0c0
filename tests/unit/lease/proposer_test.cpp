#include "core/lease/proposer.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

constexpr Duration unix_start = 480'000h;

// What a clock shows, as a token.
Token token_at(Duration since_start) {
  return static_cast<Token>(
      std::chrono::duration_cast<std::chrono::microseconds>(unix_start + since_start).count());
}

struct Proposing : testing::Test {
  ClockWatch clocks{3, 60s};
  Proposer proposer{clocks};

  void look(NodeIndex node, Time when, Duration shown) {
    clocks.on_sent({node}, when);
    clocks.on_reply({node}, NodeClock{unix_start + shown}, when);
  }
  // All three show the same, but for what they are ahead of the first.
  void look_at_all(Time when, Duration shown, Duration ahead = 0s) {
    for (NodeIndex node = 0; node < 3; ++node) look(node, when, shown + node * ahead);
  }
};

TEST_F(Proposing, NothingIsProposedBeforeTheClocksOfAMajorityAreKnown) {
  EXPECT_EQ(proposer.propose(at(0s)), 0U);
  look(0, at(0s), 0s);
  EXPECT_EQ(proposer.propose(at(0s)), 0U);
  look(2, at(0s), 0s);
  EXPECT_EQ(proposer.propose(at(0s)), token_at(0s));
}

TEST_F(Proposing, OneNodeNeedsNoProposal) {
  clocks = ClockWatch(1, 60s);
  look(0, at(0s), 0s);
  EXPECT_EQ(proposer.propose(at(0s)), 0U);
}

// What is ahead of the clock of a node is not minted there.
TEST_F(Proposing, TheClockThatIsBehindTheOthersDecides) {
  look_at_all(at(0s), 10s, 3s);
  EXPECT_EQ(proposer.propose(at(0s)), token_at(10s));
}

TEST_F(Proposing, ClocksGoOnBetweenLooksLessWhatTheirRatesMayDiffer) {
  look_at_all(at(0s), 0s);
  EXPECT_EQ(proposer.propose(at(1s)), token_at(999ms));
}

// At the moment of the answer the clock showed at least what the answer says.
TEST_F(Proposing, AnAnswerThatTookLongCountsFromWhenItCame) {
  for (NodeIndex node = 0; node < 3; ++node) {
    clocks.on_sent({node}, at(0s));
    clocks.on_reply({node}, NodeClock{unix_start}, at(5s));
  }
  EXPECT_EQ(proposer.propose(at(5s)), token_at(0s));
}

// Of many acquisitions that are sent together each has its own, and the later one the larger.
TEST_F(Proposing, ProposalsGrowFromOneToTheNext) {
  look_at_all(at(0s), 0s);
  for (Token i = 0; i < 64; ++i) EXPECT_EQ(proposer.propose(at(0s)), token_at(0s) + i);
  const Token last = proposer.propose(at(1s));
  look_at_all(at(1s), 950ms);  // all clocks are behind what was thought
  EXPECT_EQ(proposer.propose(at(1s)), last + 1);
}

TEST_F(Proposing, WhatANodeHasMintedIsNotProposedAgain) {
  look_at_all(at(0s), 0s);
  proposer.on_token(token_at(20ms), at(0s));
  EXPECT_EQ(proposer.propose(at(0s)), token_at(20ms) + 1);
  proposer.on_token(token_at(10ms), at(0s));
  EXPECT_EQ(proposer.propose(at(0s)), token_at(20ms) + 2);
}

// Such as the lease of somebody who is not Tenure: it would spoil all proposals to come.
TEST_F(Proposing, ATokenFarAheadOfAllClocksIsIgnored) {
  look_at_all(at(0s), 0s);
  proposer.on_token(token_max, at(0s));
  proposer.on_token(token_at(101ms), at(0s));
  EXPECT_EQ(proposer.propose(at(0s)), token_at(0s));
}

TEST_F(Proposing, ANodeThatIsAwayHoldsNobodyBack) {
  look_at_all(at(0s), 0s);
  for (const NodeIndex node : {0U, 1U}) look(node, at(11s), 11s);
  EXPECT_EQ(proposer.propose(at(11s)), token_at(11s));
  look(0, at(22s), 22s);  // and nobody proposes by one clock alone
  EXPECT_EQ(proposer.propose(at(22s)), 0U);
}

// A client that comes back after hours has looks that are all equally old.
TEST_F(Proposing, AnOldLookIsBetterThanNone) {
  look_at_all(at(0s), 0s);
  EXPECT_EQ(proposer.propose(at(1000s)), token_at(999s));
}

// F8
TEST_F(Proposing, AClockThatJumpedIsNotAsked) {
  look_at_all(at(0s), 0s);
  for (const NodeIndex node : {0U, 1U}) look(node, at(2s), 2s);
  look(2, at(2s), -31s);
  ASSERT_TRUE(clocks.distrusted_until({2}, at(2s)));
  EXPECT_EQ(proposer.propose(at(2s)), token_at(2s));
  look(1, at(4s), 40s);
  EXPECT_EQ(proposer.propose(at(4s)), 0U);
}

}  // namespace
}  // namespace tenure::core
