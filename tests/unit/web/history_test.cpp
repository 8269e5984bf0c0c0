// What a record of looks says about who owned what, and when.
#include "cli/web/history.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure::cli {
namespace {

using Owned = std::vector<SeenOwner>;

const LaneGroup locks{LeaseKind::lock, ""};

TEST(History, TheFirstLookShowsHowThingsAreAndIsNoChange) {
  History history;
  EXPECT_TRUE(history.saw(locks, Owned{{"a", "web-1", 5}}, 1'000).empty());
  const auto& lane = history.lanes(locks).at("a");
  ASSERT_EQ(lane.size(), 1U);
  EXPECT_EQ(lane[0].owner, "web-1");
  EXPECT_FALSE(lane[0].from_min);  // nobody knows since when
  EXPECT_EQ(lane[0].from, 1'000);
  EXPECT_FALSE(lane[0].to);
}

TEST(History, AHandOverLiesBetweenTwoLooks) {
  History history;
  history.saw(locks, Owned{{"a", "web-1", 5}}, 1'000);
  history.saw(locks, Owned{{"a", "web-1", 5}}, 1'250);
  const auto changes = history.saw(locks, Owned{{"a", "web-2", 6}}, 1'500);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].was, "web-1");
  EXPECT_EQ(changes[0].owner, "web-2");
  EXPECT_EQ(changes[0].at_min, 1'250);
  EXPECT_EQ(changes[0].at, 1'500);
  const auto& lane = history.lanes(locks).at("a");
  ASSERT_EQ(lane.size(), 2U);
  EXPECT_EQ(lane[0].to_min, 1'250);
  EXPECT_EQ(lane[0].to, 1'500);
  EXPECT_EQ(lane[1].from_min, 1'250);
  EXPECT_EQ(lane[1].from, 1'500);
}

TEST(History, TheSameOwnerWithAnotherTokenIsAnotherSpan) {
  History history;
  history.saw(locks, Owned{{"a", "web-1", 5}}, 1'000);
  EXPECT_EQ(history.saw(locks, Owned{{"a", "web-1", 6}}, 1'250).size(), 1U);
  EXPECT_EQ(history.lanes(locks).at("a").size(), 2U);
}

TEST(History, ATokenThatIsATimeBetweenTheLooksSaysWhenItBegan) {
  History history;
  history.saw(locks, Owned{}, 1'794'750'636'000);
  history.saw(locks, Owned{{"a", "web-1", 1'794'750'636'123'456}}, 1'794'750'636'250);
  EXPECT_EQ(history.lanes(locks).at("a")[0].from, 1'794'750'636'123);
  EXPECT_EQ(history.lanes(locks).at("a")[0].from_min, 1'794'750'636'123);
  // One from outside says nothing.
  history.saw(locks, Owned{{"b", "web-1", 1'794'750'000'000'000}}, 1'794'750'636'500);
  EXPECT_EQ(history.lanes(locks).at("b")[0].from, 1'794'750'636'500);
  EXPECT_EQ(history.lanes(locks).at("b")[0].from_min, 1'794'750'636'250);
}

TEST(History, WhatIsGoneEndsAndMayComeBack) {
  History history;
  history.saw(locks, Owned{{"a", "web-1", 5}, {"b", "web-1", 6}, {"c", "web-1", 7}}, 1'000);
  const auto gone = history.saw(locks, Owned{{"b", "web-1", 6}}, 2'000);
  ASSERT_EQ(gone.size(), 2U);
  EXPECT_EQ(gone[0].name, "a");
  EXPECT_EQ(gone[0].owner, "");
  EXPECT_EQ(gone[0].was, "web-1");
  EXPECT_EQ(gone[1].name, "c");
  // Told once.
  EXPECT_TRUE(history.saw(locks, Owned{{"b", "web-1", 6}}, 3'000).empty());
  const auto back = history.saw(locks, Owned{{"a", "web-2", 8}, {"b", "web-1", 6}}, 4'000);
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].was, "");
  const auto& lane = history.lanes(locks).at("a");
  EXPECT_EQ(lane[0].to, 2'000);
  EXPECT_EQ(lane[1].from_min, 3'000);
}

TEST(History, NamesAreInNaturalOrder) {
  History history;
  history.saw(locks, Owned{{"s-2", "x", 1}, {"s-10", "x", 2}}, 1'000);
  EXPECT_EQ(history.saw(locks, Owned{{"s-2", "x", 1}, {"s-3", "x", 3}, {"s-10", "x", 2}}, 2'000).size(), 1U);
  std::vector<std::string> names;
  for (const auto& [name, lane] : history.lanes(locks)) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"s-2", "s-3", "s-10"}));
}

TEST(History, GroupsKnowNothingOfEachOther) {
  History history;
  history.saw(locks, Owned{{"a", "x", 1}}, 1'000);
  history.saw({LeaseKind::session, "poll"}, Owned{{"a", "y", 2}}, 1'000);
  history.saw({LeaseKind::session, "billing"}, Owned{}, 1'000);
  EXPECT_TRUE(history.saw({LeaseKind::session, "billing"}, Owned{}, 2'000).empty());
  EXPECT_FALSE(history.lanes(locks).at("a")[0].to);
  EXPECT_EQ(history.lanes({LeaseKind::session, "poll"}).at("a")[0].owner, "y");
  EXPECT_TRUE(history.lanes({LeaseKind::election, ""}).empty());
}

TEST(History, WhileNothingIsSeenNobodyIsSaidToHaveLostAnything) {
  History history;
  history.saw(locks, Owned{{"a", "x", 1}}, 1'000);
  history.saw_nothing(locks, "no answer", 2'000);
  history.saw_nothing(locks, "no answer", 3'000);
  EXPECT_FALSE(history.lanes(locks).at("a")[0].to);
  auto blind = history.blind(locks);
  ASSERT_EQ(blind.size(), 1U);
  EXPECT_EQ(blind[0].from, 1'000);  // since the last look that saw something
  EXPECT_FALSE(blind[0].to);
  EXPECT_TRUE(history.saw(locks, Owned{{"a", "x", 1}}, 4'000).empty());
  EXPECT_EQ(history.blind(locks)[0].to, 4'000);
  EXPECT_EQ(history.lanes(locks).at("a").size(), 1U);
}

TEST(History, AQuarantineLastsFromTheFirstLookThatSeesItToTheFirstThatDoesNot) {
  History history;
  const std::vector<ClosedSpan> one{{"redis://a", "it was restarted", 0, {}}};
  history.saw_closed(one, 1'000);
  history.saw_closed(one, 2'000);
  ASSERT_EQ(history.closed().size(), 1U);
  EXPECT_EQ(history.closed()[0].from, 1'000);
  EXPECT_FALSE(history.closed()[0].to);
  history.saw_closed({}, 3'000);
  EXPECT_EQ(history.closed()[0].to, 3'000);
  history.saw_closed(one, 4'000);
  EXPECT_EQ(history.closed().size(), 2U);
}

TEST(History, WhatHasEndedIsForgottenAfterAWhileAndWhatGoesOnIsNot) {
  History history({.kept = 60'000, .spans = 1'000});
  history.saw(locks, Owned{{"a", "x", 1}, {"b", "x", 2}}, 0);
  history.saw(locks, Owned{{"b", "x", 2}}, 1'000);
  EXPECT_TRUE(history.lanes(locks).contains("a"));
  history.saw(locks, Owned{{"b", "x", 2}}, 120'000);
  EXPECT_FALSE(history.lanes(locks).contains("a"));
  EXPECT_TRUE(history.lanes(locks).contains("b"));
}

TEST(History, AGroupIsKnownSinceItsFirstLookOrSinceThingsWereForgotten) {
  History history({.kept = 60'000, .spans = 1'000});
  EXPECT_FALSE(history.since(locks));
  history.saw_nothing(locks, "no answer", 500);
  EXPECT_FALSE(history.since(locks));
  for (int i = 1; i <= 120; ++i) history.saw(locks, Owned{{"a", "x", 1}}, i * 1'000);
  ASSERT_TRUE(history.since(locks));
  EXPECT_GE(*history.since(locks), 40'000);
  EXPECT_LE(*history.since(locks), 60'000);
}

TEST(History, AGroupCanBeForgotten) {
  History history;
  const LaneGroup other{LeaseKind::session, "other"};
  history.saw(other, Owned{{"a", "x", 1}}, 0);
  history.forget(other);
  EXPECT_TRUE(history.lanes(other).empty());
  EXPECT_FALSE(history.since(other));
}

TEST(History, NoMoreIsKeptThanAllowedHoweverOftenThingsChange) {
  History history({.kept = 3'600'000, .spans = 100});
  for (int i = 0; i < 5'000; ++i)
    history.saw(locks, Owned{{"a", "x", static_cast<std::uint64_t>(i) + 1}}, i * 100);
  // Forgotten every ten seconds, in which a hundred more may come.
  EXPECT_LE(history.lanes(locks).at("a").size(), 200U);
  EXPECT_FALSE(history.lanes(locks).at("a").back().to);
}

}  // namespace
}  // namespace tenure::cli
