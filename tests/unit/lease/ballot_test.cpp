#include "core/lease/ballot.hpp"

#include <gtest/gtest.h>

namespace tenure::core {
namespace {

TEST(Ballot, EveryPatternOfUpToSevenNodesIsDecided) {
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    for (unsigned pattern = 0; pattern < (1U << nodes); ++pattern) {
      Ballot ballot(nodes);
      std::size_t granted = 0;
      std::size_t refused = 0;
      for (NodeIndex node = 0; node < nodes; ++node) {
        const bool yes = ((pattern >> node) & 1U) != 0;
        (yes ? granted : refused) += 1;
        const Verdict verdict = ballot.on_vote(node, yes);
        const bool won = 2 * granted > nodes;
        const bool lost = 2 * (nodes - refused) <= nodes;
        ASSERT_EQ(verdict == Verdict::won, won)
            << nodes << " nodes, pattern " << pattern << ", node " << node;
        ASSERT_EQ(verdict == Verdict::lost, lost)
            << nodes << " nodes, pattern " << pattern << ", node " << node;
      }
      EXPECT_NE(ballot.verdict(), Verdict::open) << nodes << " nodes, pattern " << pattern;
    }
  }
}

// T6
TEST(Ballot, ATieEndsAsLost) {
  for (const std::size_t nodes : {2U, 4U, 6U}) {
    Ballot ballot(nodes);
    for (NodeIndex node = 0; node < nodes; ++node) ballot.on_vote(node, node < nodes / 2);
    EXPECT_EQ(ballot.verdict(), Verdict::lost) << nodes;
  }
}

// T7
TEST(Ballot, TheMajorityIsOfTheConfiguredNodesNotOfThoseThatAnswered) {
  Ballot ballot(5);
  ballot.on_vote(0, true);
  EXPECT_EQ(ballot.on_vote(1, true), Verdict::open);
  EXPECT_EQ(ballot.on_vote(4, true), Verdict::won);
}

TEST(Ballot, ARepeatedVoteDoesNotCount) {
  Ballot ballot(3);
  EXPECT_EQ(ballot.on_vote(0, true), Verdict::open);
  EXPECT_EQ(ballot.on_vote(0, true), Verdict::open);
  EXPECT_EQ(ballot.on_vote(0, false), Verdict::open);
  EXPECT_EQ(ballot.on_vote(1, true), Verdict::won);
}

TEST(Ballot, AVoteThatWasCastIsKnown) {
  Ballot ballot(2);
  ballot.on_vote(1, false);
  EXPECT_FALSE(ballot.voted(0));
  EXPECT_TRUE(ballot.voted(1));
}

TEST(BallotDeathTest, AVoteFromNowhereStopsTheProgram) {
  EXPECT_DEATH(Ballot(3).on_vote(3, true), "a configured node");
  EXPECT_DEATH(Ballot(0), "has nodes");
}

}  // namespace
}  // namespace tenure::core
