// The queues of several nodes: who calls, who is heard, and which of them are left in the end.
#include "unit/lease/acquiring.hpp"

namespace tenure::core {
namespace {

struct WaitingForThree : Acquiring {
  WaitingForThree() { nodes(3); }

  // In its second round, which shows its ticket; nobody has answered that.
  Acquisition asking_for_places() {
    listen();
    Acquisition it = acquisition(std::nullopt);
    it.start(at(0s), desk.out);
    answer_all(it, by_web_3, at(0s));
    on_timer(it, at(0s));
    return it;
  }
};

TEST_F(WaitingForThree, WonWithAMajorityItLeavesTheQueuesOfTheOthers) {
  Acquisition it = queued();
  on_timer(it, it.wake());
  const Time now = it.wake() - 1s;
  reply(it, Granted{7}, now, 0);
  reply(it, Granted{7}, now, 2);
  reply(it, KeyAnswers{KeyAnswer::done}, now, 0);
  ASSERT_TRUE(reply(it, KeyAnswers{KeyAnswer::done}, now, 2)->win);
  const auto place = it.take_discarded();
  ASSERT_TRUE(place);
  EXPECT_EQ(place->nodes, std::vector<NodeIndex>{1});
  EXPECT_EQ(place->ticket, it.ticket());
  EXPECT_EQ(place->grant, *it.ticket());  // never the grant that was won
}

// The others are about to call: a release goes to all at once.
TEST_F(WaitingForThree, TheFirstCallWaitsAMomentForAMajority) {
  Acquisition it = queued();
  it.on_wake_up(1, 0ms, at(1s));
  EXPECT_EQ(it.wake(), at(1010ms));
  it.on_wake_up(1, 0ms, at(1001ms));  // the same node again
  EXPECT_EQ(it.wake(), at(1010ms));
  it.on_wake_up(2, 0ms, at(1002ms));
  EXPECT_EQ(it.wake(), at(1002ms));
}

// X13: places differ between queues. Whoever came when only one node would give it the name would split the vote.
TEST_F(WaitingForThree, ATurnHasComeWhenItHasOnAMajority) {
  Acquisition it = queued();
  it.on_wake_up(0, 250ms, at(1s));
  it.on_wake_up(1, 750ms, at(1001ms));
  EXPECT_EQ(it.wake(), at(1751ms));
  it.on_wake_up(2, 500ms, at(1002ms));
  EXPECT_EQ(it.wake(), at(1502ms));
  it.on_wake_up(1, 750ms, at(1003ms));  // never later than announced
  EXPECT_EQ(it.wake(), at(1502ms));
}

// The others may be away, or have lost their queues.
TEST_F(WaitingForThree, ATurnOnAMinorityIsNotIgnored) {
  Acquisition it = queued();
  it.on_wake_up(1, 250ms, at(1s));
  EXPECT_EQ(it.wake(), at(1260ms));
}

// A majority is free once all but a minority have run out.
TEST_F(WaitingForThree, TheHoldersTimeHasRunOutWhenItHasOnAMajority) {
  Acquisition it = asking_for_places();
  reply(it, Held{{"web-3", 5}, 9s, 3}, at(0s), 0);
  reply(it, Held{{"web-3", 5}, 4s, 1}, at(0s), 1);
  EXPECT_GT(it.wake(), at(9010ms));
  EXPECT_LE(it.wake(), at(9015ms));
}

// Two owners on two nodes: nobody has it, so nobody will call.
TEST_F(WaitingForThree, WhereNobodyHoldsAMajorityItLooksAtTheUsualPace) {
  Acquisition it = asking_for_places();
  reply(it, Held{{"web-3", 5}, 9s, 0}, at(0s), 0);
  reply(it, Held{{"web-4", 6}, 9s, 0}, at(0s), 1);
  EXPECT_LE(it.wake(), at(300ms));
}

// L3: the release of an owner has reached one node, and is on its way to the others. It calls whoever has a place there;
// to come back only after a pause would leave the name without an owner for that long.
TEST_F(WaitingForThree, AReleaseThatIsUnderWayIsNotTakenForARival) {
  listen();
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  reply(it, Held{{"web-3", 5}, 9s}, at(1ms), 0);
  reply(it, Granted{6}, at(1ms), 1);
  EXPECT_FALSE(reply(it, Held{{"web-3", 5}, 9s}, at(1ms), 2));
  EXPECT_EQ(it.take_discarded()->nodes, std::vector<NodeIndex>{1});
  ASSERT_EQ(it.wake(), at(1ms));
  desk.actions.clear();
  on_timer(it, at(1ms));
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  for (const Send& each : sent) EXPECT_TRUE(std::get<AcquireRequest>(each.request).ticket);
}

// Once it has its place and is not called, it comes back at the pace of a split vote: a node that lacks the owner's grant
// gives it a vote each time.
TEST_F(WaitingForThree, WithItsPlaceTakenItPausesAfterASplitVote) {
  listen();
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  Time now = at(1ms);
  for (int round = 0; round < 2; ++round) {
    if (round > 0) on_timer(it, now = it.wake());
    reply(it, Held{{"web-3", 5}, 9s, 0}, now, 0);
    reply(it, Granted{6}, now, 1);
    EXPECT_FALSE(reply(it, Held{{"web-3", 5}, 9s, 0}, now, 2));
  }
  EXPECT_GE(it.wake(), now + 100ms);
  EXPECT_LE(it.wake(), now + 300ms);
}

// The second round names no holder, though the first met one.
TEST_F(WaitingForThree, AConfirmationThatFailsBesideARivalIsTriedAgainAtTheUsualPace) {
  Acquisition it = queued();
  on_timer(it, it.wake());
  const Time now = it.wake() - 1s;
  reply(it, Held{{"web-3", 5}, 9s, 0}, now, 1);
  reply(it, Granted{7}, now, 0);
  reply(it, Granted{8}, now, 2);
  EXPECT_FALSE(reply(it, KeyAnswers{KeyAnswer::missing}, now, 0));
  EXPECT_GE(it.wake(), now + 100ms);
  EXPECT_LE(it.wake(), now + 300ms);
}

// One deaf node of three does not matter: what a majority hears of is heard.
TEST_F(WaitingForThree, ADeafMinorityChangesNothing) {
  Acquisition it = queued();
  const Time next = it.wake();
  subscribed.set(2, false);
  it.on_listening(false, at(1s));
  EXPECT_EQ(it.wake(), next);
  subscribed.set(1, false);
  it.on_listening(false, at(2s));
  EXPECT_EQ(it.wake(), at(2200ms));
}

// A node that was not heard granted it without looking at its queue.
TEST_F(WaitingForThree, WonOnANodeThatWasNotHeardItLeavesThatQueueToo) {
  Acquisition it = queued();
  subscribed.set(2, false);
  on_timer(it, it.wake());
  const Time now = it.wake() - 1s;
  reply(it, Granted{7}, now, 0);
  ASSERT_TRUE(reply(it, Granted{7}, now, 2)->win);
  EXPECT_EQ(it.take_discarded()->nodes, (std::vector<NodeIndex>{1, 2}));
}

// A majority has answered, because it granted: whoever waits goes on.
TEST_F(WaitingForThree, ASecondRoundThatFailedIsTriedAgainByThoseWhoWait) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  for (const NodeIndex node : {0U, 1U}) reply(it, Granted{7 + node}, at(1ms), node);
  reply(it, failed(Applied::perhaps), at(2ms), 0);
  EXPECT_FALSE(reply(it, failed(Applied::perhaps), at(2ms), 1));
}

}  // namespace
}  // namespace tenure::core
