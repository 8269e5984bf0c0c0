// How an instance parts with a session, and with the fleet.
#include "unit/fleet/sharing.hpp"

namespace tenure::core {
namespace {

// S8: not before the work on it has ended.
TEST_F(Sharing, ASessionIsGivenBackWhenItsWorkHasEnded) {
  begin({}, {"a"});
  events();
  share({});
  EXPECT_EQ(events(), Told{"ending a removed"});
  advance(5s);
  EXPECT_TRUE(is_held("a"));
  drained("a");
  EXPECT_FALSE(is_held("a"));
  EXPECT_EQ(events(), Told{"ended a"});
}

// T43: nobody waits longer than the lease lasts, and it is renewed no more.
TEST_F(Sharing, WorkThatDoesNotEndIsNotWaitedForBeyondTheDeadline) {
  begin({}, {"a"});
  const Time held_until = *agent.tenant().deadline_of(ours.at("a").lease);
  share({});
  EXPECT_LE(endings.at(0).deadline, held_until);
  advance(endings[0].deadline - now - 1ms);
  EXPECT_TRUE(is_held("a"));
  advance(1ms);
  EXPECT_FALSE(is_held("a"));
}

TEST_F(Sharing, WorkThatEndsAfterAllIsOverDoesNothing) {
  begin({}, {"a"});
  const LeaseId old = ours.at("a").lease;
  share({});
  advance(30s);
  share({"a"});
  settle();
  events();
  agent.session_drained(old, now);
  EXPECT_TRUE(agent.take().empty());
  EXPECT_TRUE(is_held("a"));
}

// T42, P10: the deadline comes although Redis hangs, and the work is told in time.
TEST_F(Sharing, ALeaseThatIsNotRenewedEndsItsWorkInTime) {
  begin({}, {"a"});
  silent = true;
  for (int second = 0; second < 30 && endings.empty(); ++second) advance(1s);
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_EQ(endings[0].reason, EndReason::not_renewed);
  EXPECT_GT(endings[0].deadline - now, 3s);
}

TEST_F(Sharing, WhatIsDeletedByHandIsOverAtOnceAndTakenAgain) {
  begin({}, {"a"});
  events();
  redis.clear();
  advance(12s);
  EXPECT_EQ(events(), (Told{"ending a missing", "ended a", "took a"}));
}

// T40
TEST_F(Sharing, AfterStandingStillForLongItIsToldFirstThatNothingIsOurs) {
  begin({}, {"a"});
  events();
  held_by("web-1", "a");
  jump(60s);
  const Told first = events();
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first[0], "ending a not_renewed");
  EXPECT_EQ(agent.fleet()->owned(), 0U);
}

// P16: whoever stops says so, and gives everything back.
TEST_F(Sharing, StoppedItLeavesAndGivesAllBack) {
  begin({}, {"a", "b"});
  events();
  stop();
  EXPECT_EQ(events(), (Told{"ending a stopped", "ending b stopped"}));
  EXPECT_EQ(beats.back().ttl, 0s);
  drained("a");
  EXPECT_NE(agent.fleet(), nullptr);
  drained("b");
  EXPECT_EQ(events(), (Told{"ended a", "ended b", "stopped"}));
  EXPECT_TRUE(redis.empty());
  EXPECT_TRUE(agent.idle());
}

TEST_F(Sharing, StoppedItStandsInNoQueueAnyMore) {
  held_by("web-1", "a");
  held_by("web-1", "b");
  begin({member("web-1", 2)}, {"a", "b"});
  events();
  stop();
  EXPECT_EQ(events(), Told{"stopped"});
  EXPECT_EQ(redis.at("poll:lease:a").waiters + redis.at("poll:lease:b").waiters, 0);
}

// T48
TEST_F(Sharing, WhatIsGrantedAfterItWasStoppedIsNotTaken) {
  grants = false;
  begin({}, {"a"});
  events();
  stop();
  grants = true;
  on_timer();
  EXPECT_EQ(events(), Told{"stopped"});
  EXPECT_TRUE(redis.empty());
}

TEST_F(Sharing, StoppedBeforeItHasJoinedItStopsAtOnce) {
  silent = true;
  start();
  stop();
  EXPECT_EQ(events(), Told{"stopped"});
}

TEST_F(Sharing, ClosedItWaitsForNoWork) {
  begin({}, {"a", "b"});
  events();
  close();
  EXPECT_EQ(events(), (Told{"ending a closed", "ending b closed", "ended a", "ended b", "stopped"}));
  EXPECT_TRUE(redis.empty());
}

// T47
TEST_F(Sharing, WhatCouldNotBeGivenBackIsTriedOn) {
  begin({}, {"a"});
  stop();
  events();
  silent = true;
  drained("a");
  advance(2s);
  EXPECT_EQ(events(), (Told{"ended a", "stopped"}));
  silent = false;
  for (int i = 0; i < 50 && !redis.empty(); ++i) {
    now += 200ms;
    on_timer();
  }
  EXPECT_TRUE(redis.empty());
}

// T44: the second process of one id has nothing to say.
TEST_F(Sharing, AnotherProcessUnderItsIdKeepsItOut) {
  beat_answer = IdTaken{20s};
  start();
  share({"a"});
  EXPECT_EQ(events(), (Told{"refused", "stopped"}));
  EXPECT_TRUE(redis.empty());
}

TEST_F(Sharing, AnotherProcessUnderItsIdMakesItGiveEverythingBack) {
  begin({}, {"a"});
  events();
  beat_answer = IdTaken{20s};
  advance(11s);
  EXPECT_EQ(events(), (Told{"refused", "ending a taken"}));
  drained("a");
  EXPECT_EQ(events(), (Told{"ended a", "stopped"}));
}

TEST_F(Sharing, WhatIsTakenByHandIsOursThoughItIsNotShared) {
  begin({}, {});
  events();
  take("x");
  EXPECT_EQ(events(), Told{"took x"});
  EXPECT_EQ(owned_as_told(), 0U);
}

TEST_F(Sharing, WhatAnotherHasIsNotTakenByHand) {
  begin({member("web-1")}, {});
  events();
  held_by("web-1", "x");
  take("x");
  EXPECT_EQ(events(), Told{"did not get x"});
  EXPECT_EQ(redis.at("poll:lease:x").waiters, 0);
}

// Whoever gives a session back by hand wants another to have it.
TEST_F(Sharing, WhatIsGivenBackByHandIsLeftToOthersForAWhile) {
  begin({}, {"a"});
  EXPECT_FALSE(give_back("b"));
  EXPECT_TRUE(give_back("a"));
  drained("a");
  events();
  advance(9s);
  EXPECT_EQ(events(), Told{});
  advance(4s);
  EXPECT_EQ(events(), Told{"took a"});
}

}  // namespace
}  // namespace tenure::core
