// What an instance learns from the lists of others, and when it asks for them.
#include "unit/fleet/sharing.hpp"

namespace tenure::core {
namespace {

TEST_F(Sharing, WhatOthersSayIsReadOnceAndNoLeaseIsLookedAt) {
  held_by("web-1", "s1");
  held_by("web-2", "s2");
  begin({says("web-1", {"s1"}), says("web-2", {"s2"})}, sessions(3));
  EXPECT_EQ(owned(), Sessions{"s3"});
  EXPECT_EQ(lists_read, (std::vector<std::string>{"web-1", "web-2"}));
  EXPECT_TRUE(looked_at.empty());
  lists_read.clear();
  advance(60s);
  EXPECT_TRUE(lists_read.empty()) << "nothing has changed";
  EXPECT_TRUE(agent.fleet()->settled());
}

TEST_F(Sharing, ItSaysWithItsHeartbeatsWhichSessionsItOwns) {
  begin({}, {"a", "b"});
  advance(1s);
  Tally tally;
  for (const auto* session : {"a", "b"}) tally.add(session_hash(session));
  EXPECT_EQ(beats.back().beat.owned, 2U);
  EXPECT_EQ(beats.back().beat.digest, tally.digest);
  auto list = beats.back().owned;
  std::ranges::sort(list);
  std::vector<SessionHash> expected{session_hash("a"), session_hash("b")};
  std::ranges::sort(expected);
  EXPECT_EQ(list, expected);
}

// Others plan from it when the members change next.
TEST_F(Sharing, OthersHearSoonThatItHasTakenOrGivenSomething) {
  begin({}, {"a", "b"});
  advance(1s);
  give_back("a");
  drained("a");
  const std::size_t before = beats.size();
  advance(600ms);
  ASSERT_GT(beats.size(), before);
  EXPECT_EQ(beats.back().beat.owned, 1U);
}

TEST_F(Sharing, WhoSaysThatItHasJustWhatItShouldHaveIsBelieved) {
  begin({}, sessions(4));
  others = {says("web-1", {})};
  hear(FleetChange::instances);
  settle();
  Sessions its;
  for (const std::string& session : sessions(4)) {
    if (agent.fleet()->preferred(session) == "web-1") its.push_back(session);
  }
  ASSERT_EQ(its.size(), 2U);
  for (const std::string& session : its) waited_for(session);
  advance(1s);
  ASSERT_EQ(endings.size(), 2U);
  for (const std::string& session : its) {
    drained(session);
    held_by("web-1", session);
  }
  others = {says("web-1", its)};
  lists_read.clear();
  looked_at.clear();
  advance(40s);
  EXPECT_TRUE(agent.fleet()->settled());
  EXPECT_TRUE(lists_read.empty());
  EXPECT_TRUE(looked_at.empty());
  // And remembered when somebody else comes.
  others = {says("web-1", its), says("web-2", {})};
  hear(FleetChange::instances);
  settle();
  EXPECT_TRUE(lists_read.empty());
}

TEST_F(Sharing, WhatContradictsThePlanIsReadAgain) {
  held_by("web-1", "s1");
  begin({says("web-1", {"s1"})}, sessions(2));
  ASSERT_TRUE(agent.fleet()->settled());
  others = {says("web-1", {})};
  redis.erase("poll:lease:s1");
  advance(40s);
  EXPECT_EQ(owned(), sessions(2)) << "nobody took it who should";
}

// It was evicted, or the rights to read it are missing.
TEST_F(Sharing, WhereAListIsGoneTheLeasesTell) {
  held_by("web-1", "s1");
  held_by("web-1", "s2");
  Member member = says("web-1", {"s1", "s2"});
  lists.clear();
  begin({member}, sessions(4));
  EXPECT_EQ(owned(), (Sessions{"s3", "s4"}));
  EXPECT_FALSE(looked_at.empty());
}

TEST_F(Sharing, NothingIsAskedForWhileItIsNotKnownWhatOthersHave) {
  others = {says("web-1", {"s1"})};
  held_by("web-1", "s1");
  gives_lists = false;
  start();
  share(sessions(2));
  advance(500ms);
  EXPECT_EQ(asked<ListsRequest>().size(), 1U);
  EXPECT_TRUE(asked<AcquireRequest>().empty());
  EXPECT_TRUE(owned().empty());
  gives_lists = true;
  advance(2s);
  EXPECT_EQ(owned(), Sessions{"s2"});
}

// Silence says nothing about lists.
TEST_F(Sharing, AfterAnOutageListsAreReadAgain) {
  others = {says("web-1", {"s1"})};
  held_by("web-1", "s1");
  gives_lists = false;
  start();
  share(sessions(2));
  advance(500ms);
  beat_answer = silence;
  advance(90s);
  beat_answer.reset();
  gives_lists = true;
  lists_read.clear();
  advance(20s);
  EXPECT_EQ(owned(), Sessions{"s2"});
  EXPECT_EQ(lists_read, std::vector<std::string>{"web-1"});
}

// A command that was renamed, a list that never comes in time.
TEST_F(Sharing, WhereListsCanNeverBeReadTheLeasesTell) {
  others = {says("web-1", {"s1"})};
  held_by("web-1", "s1");
  gives_lists = false;
  start();
  share(sessions(2));
  advance(20s);
  EXPECT_EQ(owned(), Sessions{"s2"});
}

TEST_F(Sharing, WhereMembersComeAndGoAllTheTimeItPlansAllTheSame) {
  start();
  share(sessions(4));
  for (int i = 0; i < 40; ++i) {
    others = {member("web-" + std::to_string(i))};
    hear(FleetChange::instances);
    advance(90ms);
  }
  EXPECT_GE(owned().size(), 1U);
}

// The heartbeats are on a Redis of their own, or on one of several nodes.
TEST_F(Sharing, SessionsThatComeAreTakenAlthoughHeartbeatsAreAway) {
  begin({}, sessions(1));
  beat_answer = silence;
  share(sessions(2));
  advance(5s);
  EXPECT_EQ(owned(), sessions(1)) << "perhaps it is back in a moment";
  advance(20s);
  EXPECT_EQ(owned(), sessions(2));
}

// L4: the lease of a dead owner may end in the moment in which it is our turn to look.
TEST_F(Sharing, WhoWaitsForASessionHasATurnToSeeThatItIsFree) {
  begin({member("web-1")}, sessions(2));
  ASSERT_EQ(owned().size(), 1U);
  const std::string other = owned().front() == "s1" ? "s2" : "s1";
  redis["poll:lease:" + other].waiters = 1;
  looked_at.clear();
  for (int i = 0; i < 1000 && looked_at.empty(); ++i) advance(10ms);
  ASSERT_FALSE(looked_at.empty());
  advance(1s);
  EXPECT_EQ(owned().size(), 1U) << "web-1 comes first";
  advance(20s);
  EXPECT_EQ(owned().size(), 2U) << "it may be dead";
}

// L4: who dies before it has said what it took seems not to have taken it. Where its lease ends before its heartbeat,
// because the clocks of two nodes differ, it is taken without a new plan, which may be one move too many.
TEST_F(Sharing, WhatADeadInstanceHadNotSaidThatItOwnsIsTakenInTurn) {
  begin({says("web-1", {})}, sessions(2));
  ASSERT_EQ(owned().size(), 1U);
  const std::string other = owned().front() == "s1" ? "s2" : "s1";
  held_by("web-1", other);
  advance(20s);
  EXPECT_EQ(owned().size(), 1U);
  redis.erase("poll:lease:" + other);
  advance(20s);
  EXPECT_EQ(owned().size(), 2U) << "web-1 still seems to live";
}

// T53: it took what nobody took, and does not give it away again by a plan that did not know.
TEST_F(Sharing, WhatWasTakenOutOfTurnIsKeptUntilThereIsANewPlan) {
  begin({member("web-1")}, sessions(2));
  ASSERT_EQ(owned().size(), 1U);
  beat_answer = silence;  // so that no new plan is made
  for (int i = 0; i < 1000 && owned().size() < 2; ++i) advance(10ms);
  ASSERT_EQ(owned().size(), 2U) << "web-1 did not take its share";
  for (const std::string& session : sessions(2)) waited_for(session);
  advance(3s);
  EXPECT_TRUE(endings.empty());
  beat_answer.reset();
  advance(12s);
  EXPECT_EQ(endings.size(), 1U) << "one is web-1's by any plan";
}

}  // namespace
}  // namespace tenure::core
