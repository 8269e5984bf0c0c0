// How an instance comes by its share.
#include "unit/fleet/sharing.hpp"

namespace tenure::core {
namespace {

// P15
TEST_F(Sharing, AloneItTakesAllSessions) {
  begin({}, {"a", "b", "c"});
  EXPECT_EQ(events(), (Told{"joined", "instances +us", "took a", "took b", "took c"}));
  EXPECT_TRUE(agent.fleet()->settled());
  EXPECT_EQ(owned_as_told(), 3U);
}

TEST_F(Sharing, NothingIsAskedForBeforeItIsKnownWhoElseLives) {
  silent = true;
  start();
  share({"a"});
  advance(3s);
  EXPECT_TRUE(asked<AcquireRequest>().empty());
  EXPECT_EQ(events(), Told{"hindered"});
}

TEST_F(Sharing, NothingIsAskedForBeforeItIsKnownWhatThereIs) {
  start();
  advance(3s);
  EXPECT_EQ(events(), (Told{"joined", "instances +us"}));
  share({});
  EXPECT_EQ(events(), Told{});
}

// P18, P20: everybody takes its own share of what nobody has, and leaves the rest alone.
TEST_F(Sharing, OfWhatNobodyHasItTakesItsShareAtOnce) {
  begin({member("web-1"), member("web-2")}, sessions(9));
  EXPECT_EQ(owned().size(), 3U);
}

TEST_F(Sharing, WhatOthersShouldTakeAndDoNotIsTakenAfterAWhile) {
  begin({member("web-1"), member("web-2")}, sessions(9));
  advance(10s);
  EXPECT_EQ(owned().size(), 9U);
}

// P22: it stands in the queue for it, so that the owner sees that somebody waits.
TEST_F(Sharing, WhatAnotherHasTooMuchOfIsAskedFor) {
  for (const std::string& session : sessions(4)) held_by("web-1", session);
  begin({member("web-1", 4)}, sessions(4));
  const auto waited = std::ranges::count_if(redis, [](const auto& it) { return it.second.waiters > 0; });
  EXPECT_EQ(waited, 2);
  EXPECT_TRUE(owned().empty());
  EXPECT_FALSE(agent.fleet()->settled());
}

TEST_F(Sharing, WhatAnotherHasAsItsShareIsLeftAlone) {
  held_by("web-1", "s1");
  held_by("web-1", "s2");
  begin({member("web-1", 2)}, sessions(4));
  EXPECT_EQ(owned(), (Sessions{"s3", "s4"}));
  EXPECT_TRUE(agent.fleet()->settled());
}

// T54
TEST_F(Sharing, ANewcomerThatHasNothingYetCounts) {
  begin({}, sessions(4));
  others = {member("web-1")};
  hear(FleetChange::instances);
  settle();
  for (const std::string& session : sessions(4)) waited_for(session);
  advance(2s);
  EXPECT_EQ(endings.size(), 2U);
}

// T55: the newcomer may be dead before it has asked for anything.
TEST_F(Sharing, WhatNobodyWaitsForIsKept) {
  begin({}, sessions(4));
  others = {member("web-1")};
  hear(FleetChange::instances);
  advance(20s);
  EXPECT_TRUE(endings.empty());
  EXPECT_EQ(owned().size(), 4U);
}

// The newcomer sees the shares differently: what it waits for is not what the owner would give.
TEST_F(Sharing, WhatSomebodyWaitsForIsGivenAlthoughAnotherWasPlanned) {
  begin({}, sessions(4));
  others = {member("web-1")};
  hear(FleetChange::instances);
  settle();
  for (const std::string& session : sessions(4)) {
    if (agent.fleet()->preferred(session) == "us") waited_for(session);
  }
  advance(3s);
  EXPECT_EQ(endings.size(), 2U);
}

// T53: whoever else waits, for whatever reason, an instance never falls below its share.
TEST_F(Sharing, NoMoreIsGivenBackThanItHasTooMuch) {
  begin({}, sessions(9));
  others = {member("web-1"), member("web-2")};
  hear(FleetChange::instances);
  for (const std::string& session : sessions(9)) waited_for(session);
  advance(5s);
  EXPECT_EQ(endings.size(), 6U);
  EXPECT_EQ(owned_as_told(), 3U);
}

TEST_F(Sharing, WhoIsWithinItsShareGivesNothingBackToWhoWaits) {
  held_by("web-1", "s1");
  begin({member("web-1", 1)}, sessions(2));
  ASSERT_EQ(owned(), Sessions{"s2"});
  waited_for("s2");
  advance(20s);
  EXPECT_TRUE(endings.empty());
}

// L4: a session that was free for long because its owner is dead is not free for all once that is known.
TEST_F(Sharing, WhoShouldHaveWhatADeadInstanceHadHasItsTurnFirst) {
  const Sessions of_dead = sessions(4);
  for (const std::string& session : of_dead) held_by("web-1", session);
  begin({member("web-1", 4)}, sessions(8));
  ASSERT_EQ(owned().size(), 4U);
  for (const std::string& session : of_dead) redis.erase("poll:lease:" + session);
  others = {member("web-1", 4), member("web-2")};
  hear(FleetChange::instances);
  advance(1900ms);
  others = {member("web-2")};
  hear(FleetChange::instances);
  settle();
  EXPECT_EQ(owned().size(), 4U) << "the others are web-2's to take";
}

// L2, P16: not when the next beat is due, but when the dead one's last has run out.
TEST_F(Sharing, WhatADeadInstanceHadIsAskedForWhenItsBeatRunsOut) {
  held_by("web-1", "s1");
  begin({member("web-1", 1, 5s)}, sessions(2));
  EXPECT_EQ(owned(), Sessions{"s2"});
  others.clear();
  advance(5s);
  EXPECT_EQ(redis.at("poll:lease:s1").waiters, 1);
  redis.erase("poll:lease:s1");
  advance(21s);
  EXPECT_EQ(owned(), (Sessions{"s1", "s2"}));
}

TEST_F(Sharing, AnAskIsWithdrawnWhenAnotherShouldHaveIt) {
  for (const std::string& session : sessions(2)) held_by("web-1", session);
  begin({member("web-1", 2)}, sessions(2));
  const auto waited = [&] {
    return std::ranges::count_if(redis, [](const auto& it) { return it.second.waiters > 0; });
  };
  ASSERT_EQ(waited(), 1);
  held_by("web-2", "s1");
  held_by("web-2", "s2");
  others = {member("web-1", 0), member("web-2", 2), member("web-3", 0)};
  held_by("web-3", "s2");
  hear(FleetChange::instances);
  settle();
  EXPECT_EQ(waited(), 0);
}

// T40: it was counted as dead meanwhile, and the others have shared without it, though the same ones live.
TEST_F(Sharing, AfterStandingStillForLongItLooksAtEverythingAnew) {
  held_by("web-1", "s1");
  held_by("web-2", "s2");
  begin({member("web-1", 1), member("web-2", 1)}, sessions(3));
  ASSERT_EQ(owned(), Sessions{"s3"});
  looked_at.clear();
  jump(60s);
  advance(0s);
  EXPECT_EQ(looked_at, (std::vector<std::string>{"poll:lease:s1", "poll:lease:s2"}));
}

TEST_F(Sharing, WhatOthersSayTheyHaveAndWasNotSeenIsLookedAt) {
  held_by("web-1", "s1");
  begin({member("web-1", 1)}, sessions(2));
  ASSERT_TRUE(agent.fleet()->settled());
  others = {member("web-1", 0)};
  redis.erase("poll:lease:s1");
  advance(40s);
  EXPECT_EQ(owned(), (Sessions{"s1", "s2"}));
}

// T57
TEST_F(Sharing, ManySessionsAreTakenSideBySide) {
  grants = false;
  begin({}, sessions(1'000));
  EXPECT_EQ(asked<AcquireRequest>().size(), 256U);
  grants = true;
  on_timer();
  EXPECT_EQ(owned().size(), 1'000U);
}

TEST_F(Sharing, ItIsToldWhoCameAndWhoLeft) {
  begin({member("web-1")}, {});
  EXPECT_EQ(events(), (Told{"joined", "instances +us +web-1"}));
  others = {member("web-2")};
  hear(FleetChange::instances);
  settle();
  EXPECT_EQ(events(), Told{"instances +web-2 -web-1"});
}

TEST_F(Sharing, ItIsToldThatSessionsHaveChanged) {
  begin({}, {});
  events();
  hear(FleetChange::sessions);
  EXPECT_EQ(events(), Told{"sessions changed"});
  version = 2;
  advance(11s);
  EXPECT_EQ(events(), Told{"sessions changed"});
}

TEST_F(Sharing, SilenceIsToldOnceAndAgainOnlyAfterAnAnswer) {
  begin({}, {});
  events();
  silent = true;
  advance(60s);
  EXPECT_EQ(events(), Told{"hindered"});
  silent = false;
  advance(11s);
  silent = true;
  advance(60s);
  EXPECT_EQ(events(), Told{"hindered"});
}

// L3: what was sent while nothing got through fails only afterwards, and says nothing about the store as it is now.
TEST_F(Sharing, WhatStillFailsWhenTheStoreAnswersAgainIsSoonAskedForAgain) {
  begin({}, sessions(1));
  silent = true;
  advance(120s);  // its lease ends, and it asks for it less and less often
  EXPECT_EQ(owned(), Sessions{});
  redis.clear();
  silent = grants = false;
  const std::size_t heard = beats.size();
  for (int i = 0; i < 20'000 && beats.size() == heard; ++i) advance(1ms);
  for (int i = 0; i < 10'000 && asked<AcquireRequest>().empty(); ++i) advance(1ms);
  ASSERT_FALSE(asked<AcquireRequest>().empty());
  for (int i = 0; i < 10'000 && !asked<AcquireRequest>().empty(); ++i) advance(1ms);
  ASSERT_TRUE(asked<AcquireRequest>().empty());
  grants = true;
  advance(110ms);
  EXPECT_EQ(owned(), sessions(1));
}

TEST_F(Sharing, AQuarantineIsToldOnceWithItsEndAndSoIsThatItIsOver) {
  closed = in_quarantine("e");
  agent.on_admitted(0, *closed.read, now);
  const Time began = now;
  begin({}, sessions(3));
  EXPECT_EQ(events(), (Told{"joined", "instances +us", "not open"}));
  EXPECT_EQ(opens_by, began + 66s);
  advance(60s);
  EXPECT_EQ(events(), Told{});
  advance(10s);
  const Told after = events();
  ASSERT_EQ(after.size(), 4U);
  EXPECT_EQ(after.front(), "open");
  EXPECT_EQ(owned(), sessions(3));
}

TEST_F(Sharing, AnotherCapIsToldOnce) {
  closed = {std::nullopt, "30000 e open l 1 1 new"};
  begin({}, sessions(2));
  advance(30s);
  const Told told_of = events();
  EXPECT_EQ(std::ranges::count(told_of, "not open"), 1);
  EXPECT_EQ(opens_by, std::nullopt);
}

// P19
TEST_F(Sharing, EverybodyNamesTheSameForASession) {
  begin({member("web-1")}, sessions(4));
  int own = 0;
  for (const std::string& session : sessions(4)) {
    own += agent.fleet()->preferred(session) == "us" ? 1 : 0;
    EXPECT_EQ(agent.fleet()->preferred(session) == "us", ours.contains(session));
  }
  EXPECT_EQ(own, 2);
  EXPECT_FALSE(agent.fleet()->preferred("no such session"));
}

}  // namespace
}  // namespace tenure::core
