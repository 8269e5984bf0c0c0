// Who should own what: P15, P16, P19–P21, P23, B8, L4. What holds for all numbers is in placement_properties_test.cpp.
#include "core/fleet/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/fleet/placing.hpp"

namespace tenure::core {
namespace {

TEST(Placing, OneMemberHasEverything) {  // P15
  const auto plan = Placement(members(1)).place(sessions(9), owned_by_nobody(9));
  EXPECT_EQ(plan.placed, std::vector<MemberIndex>(9, 0));
  EXPECT_EQ(plan.quota, std::vector<std::size_t>{9});
}

TEST(Placing, WithoutMembersNobodyHasAnything) {
  const auto plan = Placement({}).place(sessions(3), std::vector<MemberIndex>{nobody, 0, 7});
  EXPECT_EQ(plan.placed, owned_by_nobody(3));
  EXPECT_TRUE(plan.quota.empty());
}

TEST(Placing, WhereAllWeighNothingNobodyHasAnything) {
  const auto plan =
      Placement({{"leaving", 0}, {"leaving too", 0}}).place(sessions(2), std::vector<MemberIndex>{0, 1});
  EXPECT_EQ(plan.placed, owned_by_nobody(2));
  EXPECT_EQ(plan.quota, (std::vector<std::size_t>{0, 0}));
}

TEST(Placing, ThreeMembersHaveThreeOfNineEach) {  // P20
  const auto plan = Placement(members(3)).place(sessions(9), owned_by_nobody(9));
  EXPECT_EQ(shares(plan.placed, 3), (std::vector<std::size_t>{3, 3, 3}));
  EXPECT_EQ(plan.quota, (std::vector<std::size_t>{3, 3, 3}));
}

TEST(Placing, IsWithinOneForAnyNumbers) {  // P20, P23, B8
  for (std::size_t m = 1; m <= 20; ++m) {
    for (const std::size_t s : {0U, 1U, 9U, 10U, 100U, 997U}) {
      const auto all = shares(Placement(members(m)).place(sessions(s), owned_by_nobody(s)).placed, m);
      const auto [least, most] = std::ranges::minmax(all);
      EXPECT_LE(most - least, 1U) << m << " members, " << s << " sessions";
    }
  }
}

TEST(Placing, ANewcomerGetsItsShareAndNothingElseMoves) {  // P21, L4
  for (std::size_t m = 1; m <= 10; ++m) {
    const auto all = sessions(1'000);
    const auto before = Placement(members(m)).place(all, owned_by_nobody(all.size())).placed;
    const auto after = Placement(members(m + 1)).place(all, before).placed;
    EXPECT_EQ(shares(after, m + 1).back(), 1'000 / (m + 1));
    EXPECT_EQ(moves(before, after), 1'000 / (m + 1));
  }
}

TEST(Placing, ANewcomerGetsWhatFitsItBest) {
  const auto all = sessions(1'000);
  const auto before = Placement(members(4)).place(all, owned_by_nobody(all.size())).placed;
  const Placement placement(members(5));
  const auto after = placement.place(all, before).placed;
  for (std::size_t given = 0; given < all.size(); ++given) {
    if (after[given] != 4) continue;
    for (std::size_t kept = 0; kept < all.size(); ++kept) {
      if (after[kept] != before[given]) continue;
      EXPECT_GT(placement.rank(4, all[given]), placement.rank(4, all[kept]));
    }
  }
}

TEST(Placing, OnlyWhatTheDeadOwnedMoves) {  // P16, L4
  const auto all = sessions(1'000);
  const auto before = Placement(members(5)).place(all, owned_by_nobody(all.size())).placed;
  const auto after = Placement(members(4)).place(all, before).placed;  // the last one is gone
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(before[i] == 4 || after[i] == before[i]);
  }
  EXPECT_EQ(shares(after, 4), (std::vector<std::size_t>{250, 250, 250, 250}));
}

TEST(Placing, NearlyAllBeginWithTheMemberThatFitsThemBest) {  // P19
  const Placement placement(members(10));
  const auto many = sessions(10'000);
  const auto placed = placement.place(many, owned_by_nobody(many.size())).placed;
  std::size_t first = 0;  // not quite all: shares by rank alone are not within one
  for (std::size_t i = 0; i < many.size(); ++i)
    first += placement.position(placed[i], many[i]) == 0 ? 1U : 0U;
  EXPECT_GT(first, 9'700U);
}

TEST(Placing, GivesByWeight) {
  const std::vector<Member> unequal{{"small", 1}, {"large", 3}, {"none", 0}};
  const auto plan = Placement(unequal).place(sessions(100), owned_by_nobody(100));
  EXPECT_EQ(shares(plan.placed, 3), (std::vector<std::size_t>{25, 75, 0}));
  EXPECT_EQ(plan.quota, (std::vector<std::size_t>{25, 75, 0}));
}

TEST(Placing, WhoWeighsNothingAnyMoreGivesEverythingAway) {
  const std::vector<Member> leaving{{"leaving", 0}, {"a"}, {"b"}};
  const auto plan = Placement(leaving).place(sessions(10), std::vector<MemberIndex>(10, 0));
  EXPECT_EQ(shares(plan.placed, 3), (std::vector<std::size_t>{0, 5, 5}));
}

TEST(Placing, TheLargestWeightsDoNotOverflow) {
  const std::uint32_t most = ~std::uint32_t{0};
  const auto plan = Placement({{"a", most}, {"b", most}}).place(sessions(10'000), owned_by_nobody(10'000));
  EXPECT_EQ(plan.quota, (std::vector<std::size_t>{5'000, 5'000}));
}

TEST(Placing, ASessionNamedLikeAMemberIsASessionLikeAnyOther) {
  const Placement placement(members(1'000));
  std::size_t sum = 0;
  for (MemberIndex i = 0; i < 1'000; ++i)
    sum += placement.position(i, session_hash("web-" + std::to_string(i)));
  EXPECT_NEAR(static_cast<double>(sum) / 1'000, 500, 60);
}

TEST(Placing, SessionsOfOneHashAllFindAnOwner) {
  const auto plan = Placement(members(7)).place(std::vector<SessionHash>(100, 42), owned_by_nobody(100));
  EXPECT_EQ(shares(plan.placed, 7), plan.quota);
  const auto [least, most] = std::ranges::minmax(plan.quota);
  EXPECT_LE(most - least, 1U);
}

TEST(Placing, TheLowestRankIsStillARank) {
  // No other session has a rank as low with this member.
  const std::vector<SessionHash> lowest{member_hash("web-0")};
  EXPECT_EQ(Placement(members(1)).place(lowest, owned_by_nobody(1)).placed.front(), 0U);
}

TEST(Placing, RanksIdsThatCountUpEvenly) {  // P19
  for (const std::size_t count : firsts(Placement(members(10)), 10, sessions(10'000))) {
    EXPECT_NEAR(static_cast<double>(count), 1'000, 150);
  }
}

TEST(Placing, PositionsLeaveOutWhoWeighsNothing) {
  const Placement placement({{"a"}, {"b", 0}, {"c"}});
  for (const SessionHash session : sessions(50)) {
    EXPECT_EQ(placement.position(0, session) + placement.position(2, session), 1U);
  }
}

}  // namespace
}  // namespace tenure::core
