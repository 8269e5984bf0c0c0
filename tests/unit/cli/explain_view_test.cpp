// Why a session has the owner that it has, told as placement decides it.
#include "cli/fleet/explain_view.hpp"

#include <gtest/gtest.h>

#include "core/fleet/placement.hpp"
#include "unit/cli/fleet_facts.hpp"

namespace tenure::cli {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Who of the two fits that session better.
std::pair<std::string, std::string> by_rank(const std::string& session) {
  const core::Placement placement({{"a"}, {"b"}});
  const auto hash = core::session_hash(session);
  return placement.rank(0, hash) > placement.rank(1, hash) ? std::pair("a", "b") : std::pair("b", "a");
}

TEST(Explain, CandidatesStandInTheOrderOfTheirRank) {
  const auto [best, other] = by_rank("s");
  const auto told = explain(view_of(Facts().instance("a").instance("b").session("s", best)), 0);
  ASSERT_EQ(told.candidates.size(), 2U);
  EXPECT_EQ(told.candidates[0].id, best);
  EXPECT_EQ(told.candidates[1].id, other);
  EXPECT_EQ(told.candidates[0].owned, 1U);
  EXPECT_EQ(told.placed, best);
  EXPECT_EQ(told.why, best + " has it, and fits it best.");
}

TEST(Explain, AnOwnerThatFitsLessKeepsItWhileItHasNoMoreThanItsQuota) {
  const auto [best, other] = by_rank("s");
  const auto told = explain(view_of(Facts().instance("a").instance("b").session("s", other)), 0);
  EXPECT_EQ(told.placed, other);
  EXPECT_EQ(told.why, other + " has it, and keeps it: it has 1 with a quota of 1. " + best +
                          " would fit it better, but nothing moves only for that.");
}

TEST(Explain, AnOwnerThatHasTooManyGivesSomeAway) {
  const auto view = view_of(Facts().instance("a").instance("b").shared(4, "a"));
  std::size_t moved = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto told = explain(view, i);
    if (told.placed != "b") continue;
    moved += 1;
    EXPECT_TRUE(
        told.why.starts_with("a has 4 with a quota of 2, too many: this one goes to b, which fits it best"))
        << told.why;
  }
  EXPECT_EQ(moved, 2U);
}

TEST(Explain, WhatNobodyHasGoesToWhoFitsBestOfThoseWithRoom) {
  const auto [best, other] = by_rank("s");
  const auto alone = explain(view_of(Facts().instance(best).session("s", "")), 0);
  EXPECT_EQ(alone.why, "Nobody has it: it goes to " + best + ", which fits it best.");
  // The sessions stand in the order of their ids: "s" behind "a0" or "b0".
  const auto full = explain(view_of(Facts().session("s", "").instance("a").instance("b").shared(1, best)), 1);
  EXPECT_EQ(full.placed, other);
  EXPECT_EQ(full.why, "Nobody has it: it goes to " + other + ", which fits it best of those that have room.");
}

TEST(Explain, TheDeadAndTheLeavingAreNoCandidates) {
  const auto dead = explain(view_of(Facts().instance("a").session("s", "gone")), 0);
  EXPECT_EQ(dead.candidates.size(), 1U);
  EXPECT_EQ(dead.why,
            "gone has it, and no heartbeat: its lease ends in 9s. Then it goes to a, which fits it best.");
  const auto leaving =
      explain(view_of(Facts().instance("a").instance("b", beat("leaving")).session("s", "b")), 0);
  EXPECT_EQ(leaving.why,
            "b has it, and is leaving: it gives it back. Then it goes to a, which fits it best.");
}

TEST(Explain, APausedSessionIsNobodysAndCountsForNobody) {
  const auto view = view_of(Facts().instance("a").session("s1", "", true).session("s2", "a"));
  const auto paused = explain(view, 0);
  EXPECT_FALSE(paused.placed.has_value());
  EXPECT_EQ(paused.why, "It is paused: nobody polls it, and nobody is to have it.");
  EXPECT_EQ(paused.candidates.at(0).quota, 1U);
  EXPECT_EQ(explain(view, 1).placed, "a");
}

TEST(Explain, WithoutAnyInstanceNobodyCanHaveIt) {
  EXPECT_EQ(explain(view_of(Facts().session("s", "")), 0).why, "No instance is ready: nobody can have it.");
  EXPECT_TRUE(has(explain(view_of(Facts().session("s", "gone")), 0).why, "No other instance is ready."));
}

}  // namespace
}  // namespace tenure::cli
