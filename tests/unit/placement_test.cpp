// Who should own what: P15, P19–P23, B8, L4.
#include "core/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/random.hpp"

namespace tenure::core {
namespace {

std::vector<Member> members(std::size_t count, std::size_t from = 0) {
  std::vector<Member> all;
  for (std::size_t i = from; i < from + count; ++i) all.push_back({"web-" + std::to_string(i)});
  return all;
}

std::vector<SessionHash> sessions(std::size_t count) {
  std::vector<SessionHash> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(session_hash("session-" + std::to_string(i)));
  return all;
}

std::vector<MemberIndex> owned_by_nobody(std::size_t count) { return std::vector<MemberIndex>(count, nobody); }

std::vector<std::size_t> shares(const std::vector<MemberIndex>& placed, std::size_t members) {
  std::vector<std::size_t> shares(members);
  for (const MemberIndex owner : placed) shares.at(owner) += 1;
  return shares;
}

std::size_t moves(const std::vector<MemberIndex>& before, const std::vector<MemberIndex>& after) {
  std::size_t moves = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moves += before[i] != after[i] ? 1 : 0;
  return moves;
}

TEST(Placing, OneMemberHasEverything) {  // P15
  const auto placed = Placement(members(1)).place(sessions(9), owned_by_nobody(9));
  EXPECT_EQ(placed, std::vector<MemberIndex>(9, 0));
}

TEST(Placing, WithoutMembersNobodyHasAnything) {
  EXPECT_EQ(Placement({}).place(sessions(3), owned_by_nobody(3)), owned_by_nobody(3));
}

TEST(Placing, IsWithinOneForAnyNumbers) {  // P20, B8
  for (std::size_t m = 1; m <= 20; ++m) {
    for (const std::size_t s : {0U, 1U, 9U, 10U, 100U, 997U}) {
      const auto all = shares(Placement(members(m)).place(sessions(s), owned_by_nobody(s)), m);
      const auto [least, most] = std::ranges::minmax(all);
      EXPECT_LE(most - least, 1U) << m << " members, " << s << " sessions";
    }
  }
}

TEST(Placing, ANewcomerGetsItsShareAndNothingElseMoves) {  // P21, L4
  for (std::size_t m = 1; m <= 10; ++m) {
    const auto all = sessions(1'000);
    const auto before = Placement(members(m)).place(all, owned_by_nobody(all.size()));
    const auto after = Placement(members(m + 1)).place(all, before);
    const auto share = shares(after, m + 1).back();
    EXPECT_EQ(moves(before, after), share);
    EXPECT_LE(share, 1'000 / (m + 1) + 1);
  }
}

TEST(Placing, OnlyWhatTheDeadOwnedMoves) {  // P16, L4
  const auto all = sessions(1'000);
  const auto before = Placement(members(5)).place(all, owned_by_nobody(all.size()));
  const auto after = Placement(members(4)).place(all, before);  // the last one is gone
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (before[i] != 4) EXPECT_EQ(after[i], before[i]);
  }
  const auto [least, most] = std::ranges::minmax(shares(after, 4));
  EXPECT_LE(most - least, 1U);
}

TEST(Placing, IsTheSameInWhicheverOrderSessionsCome) {
  auto all = sessions(500);
  const Placement placement(members(7));
  const auto placed = placement.place(all, owned_by_nobody(all.size()));
  std::map<SessionHash, MemberIndex> known;
  for (std::size_t i = 0; i < all.size(); ++i) known[all[i]] = placed[i];
  std::ranges::reverse(all);
  const auto again = placement.place(all, owned_by_nobody(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(again[i], known.at(all[i]));
}

TEST(Placing, WhatIsBalancedStaysAsItIs) {  // T53
  const auto all = sessions(100);
  const Placement placement(members(7));
  const auto placed = placement.place(all, owned_by_nobody(all.size()));
  EXPECT_EQ(placement.place(all, placed), placed);
}

TEST(Placing, GivesByWeight) {
  std::vector<Member> unequal{{"small", 1}, {"large", 3}, {"none", 0}};
  const auto all = shares(Placement(unequal).place(sessions(100), owned_by_nobody(100)), 3);
  EXPECT_EQ(all, (std::vector<std::size_t>{25, 75, 0}));
}

TEST(Placing, RanksIdsThatCountUpEvenly) {  // P19
  const std::size_t m = 10;
  const Placement placement(members(m));
  std::vector<std::size_t> firsts(m);
  for (const SessionHash session : sessions(10'000)) {
    MemberIndex best = 0;
    for (MemberIndex i = 1; i < m; ++i) {
      if (placement.rank(i, session) > placement.rank(best, session)) best = i;
    }
    firsts[best] += 1;
  }
  for (const std::size_t count : firsts) EXPECT_NEAR(static_cast<double>(count), 1'000, 150);
}

}  // namespace
}  // namespace tenure::core
