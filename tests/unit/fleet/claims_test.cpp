#include "core/fleet/claims.hpp"

#include <gtest/gtest.h>

#include "core/base/random.hpp"

namespace tenure::core {
namespace {

using namespace std::chrono_literals;

using List = std::vector<SessionHash>;

Tally tally_of(const List& list) {
  Tally tally;
  for (const SessionHash session : list) tally.add(session);
  return tally;
}

Member saying(const std::string& id, const List& owned, Ttl left = 30s) {
  const Tally tally = tally_of(owned);
  return {id, 1, tally.count, left, tally.digest};
}

// This instance is "us", the last of them.
struct SomeClaims : testing::Test {
  Claims claims;

  void note(std::vector<Member> others) {
    others.push_back({"us", 1, 0, 30s, 0});
    claims.note(others, static_cast<MemberIndex>(others.size() - 1));
  }
};

TEST(ATally, DependsOnWhichSessionsThereAreAndNotOnTheirOrder) {
  EXPECT_EQ(tally_of({1, 2, 3}), tally_of({3, 1, 2}));
  EXPECT_NE(tally_of({1, 2, 3}), tally_of({1, 2, 4}));
  EXPECT_NE(tally_of({1, 4}), tally_of({2, 3})) << "their sums are alike";
  Tally tally = tally_of({1, 2, 3});
  tally.remove(2);
  EXPECT_EQ(tally, tally_of({1, 3}));
}

TEST_F(SomeClaims, AreKnownOnceTheListIsWhatTheMemberSays) {
  note({saying("a", {1, 2}), saying("b", {})});
  EXPECT_FALSE(claims.known(0));
  EXPECT_FALSE(claims.seen(0));
  EXPECT_TRUE(claims.known(1)) << "there is nothing to know";
  claims.learn(0, {2, 1});
  EXPECT_TRUE(claims.known(0));
  note({saying("a", {1, 3}), saying("b", {})});
  EXPECT_FALSE(claims.known(0)) << "as many, but others";
  EXPECT_TRUE(claims.seen(0));
}

TEST_F(SomeClaims, StayWithTheirMembersWhoeverComesAndGoes) {
  note({saying("b", {1}), saying("d", {2})});
  claims.learn(0, {1});
  claims.learn(1, {2});
  note({saying("a", {}), saying("c", {}), saying("d", {2})});
  EXPECT_TRUE(claims.known(2));
  EXPECT_EQ(claims.table().claimant(1), std::nullopt) << "its owner lives no more";
  EXPECT_EQ(claims.table().claimant(2), 2U);
}

TEST_F(SomeClaims, OfTwoOnOneSessionTheLaterHeartbeatIsRight) {
  note({saying("a", {7}, 20s), saying("b", {7}, 29s)});
  claims.learn(0, {7});
  claims.learn(1, {7});
  EXPECT_EQ(claims.table().claimant(7), 1U);
  note({saying("a", {7}, 30s), saying("b", {7}, 29s)});
  EXPECT_EQ(claims.table().claimant(7), 0U);
}

// An instance of an earlier version, or one whose list was evicted.
TEST_F(SomeClaims, MayHaveNoList) {
  note({{"a", 1, 2, 30s}, saying("b", {1})});
  EXPECT_FALSE(claims.has_list(0));
  EXPECT_FALSE(claims.known(0));
  claims.learn(0, {5, 6});
  EXPECT_TRUE(claims.known(0)) << "by their number";
  claims.learn_that_list_is_gone(1);
  EXPECT_FALSE(claims.has_list(1));
  note({{"a", 1, 2, 30s}, saying("b", {1})});
  EXPECT_FALSE(claims.has_list(1)) << "nothing new was written";
  note({{"a", 1, 2, 30s}, saying("b", {1, 2})});
  EXPECT_TRUE(claims.has_list(1));
}

TEST_F(SomeClaims, OfManySessionsAreAllFound) {
  Random random(1);
  std::vector<List> lists(10);
  std::vector<Member> members;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (int sessions = 0; sessions < 1000; ++sessions) lists[i].push_back(random.next());
    members.push_back(saying(std::string(1, static_cast<char>('a' + i)), lists[i]));
  }
  note(members);
  for (MemberIndex i = 0; i < lists.size(); ++i) claims.learn(i, lists[i]);
  const Claims::Table table = claims.table();
  for (MemberIndex i = 0; i < lists.size(); ++i) {
    for (const SessionHash session : lists[i]) EXPECT_EQ(table.claimant(session), i);
  }
  EXPECT_EQ(table.claimant(random.next()), std::nullopt);
}

}  // namespace
}  // namespace tenure::core
