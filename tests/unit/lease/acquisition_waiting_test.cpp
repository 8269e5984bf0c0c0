// The queue of one node: places, calls, and what becomes of calls that were forged. Several nodes:
// acquisition_queues_test.cpp.
#include "unit/lease/acquiring.hpp"

namespace tenure::core {
namespace {

using InTheQueue = Acquiring;

bool asks_for_a_place(const Send& sent) { return std::get<AcquireRequest>(sent.request).ticket.has_value(); }

TEST_F(InTheQueue, WhoeverHearsTakesAPlaceAtOnceWithOneTicketForAllRounds) {
  listen();
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  EXPECT_FALSE(asks_for_a_place(desk.take<Send>().at(0)));  // a free name needs no queue
  reply(it, by_web_3, at(1ms));
  EXPECT_EQ(desk.take<Listen>().size(), 1U);
  EXPECT_EQ(it.wake(), at(1ms));
  on_timer(it, at(1ms));
  const auto ticket = std::get<AcquireRequest>(desk.take<Send>().at(0).request).ticket;
  ASSERT_TRUE(ticket);
  EXPECT_EQ(ticket, it.ticket());
  reply(it, by_web_3, at(2ms));
  on_timer(it, it.wake());
  EXPECT_EQ(std::get<AcquireRequest>(desk.take<Send>().at(0).request).ticket, ticket);
}

TEST_F(InTheQueue, WhoeverDoesNotHearLooksAtTheUsualPace) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  reply(it, by_web_3, at(0s));
  EXPECT_GE(it.wake(), at(100ms));
  EXPECT_LE(it.wake(), at(300ms));
  desk.actions.clear();
  on_timer(it, it.wake());
  EXPECT_FALSE(asks_for_a_place(desk.take<Send>().at(0)));
}

// T26: what was missed before it was subscribed.
TEST_F(InTheQueue, WhenTheSubscriptionsOpenItLooksAtOnce) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  reply(it, by_web_3, at(0s));
  listen();
  it.on_listening(true, at(20ms));
  EXPECT_EQ(it.wake(), at(20ms));
  desk.actions.clear();
  on_timer(it, at(20ms));
  EXPECT_TRUE(asks_for_a_place(desk.take<Send>().at(0)));
}

TEST_F(InTheQueue, SubscriptionsThatOpenHurryNobodyWhoDoesNotWaitYet) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  listen();
  it.on_listening(true, at(1ms));
  EXPECT_EQ(it.wake(), at(1s));
  reply(it, failed(Applied::no), at(2ms));
  EXPECT_TRUE(desk.take<Listen>().empty());
}

// T26: a subscription that broke may have lost its place in the queue: nobody heard the call.
TEST_F(InTheQueue, SubscriptionsThatWereShutMeanwhileAreCaughtUpWith) {
  Acquisition it = queued();
  subscribed.set(0, false);
  it.on_listening(false, at(1s));
  EXPECT_EQ(it.wake(), at(1200ms));  // deaf, it looks by itself
  listen();
  it.on_listening(true, at(1100ms));
  EXPECT_EQ(it.wake(), at(1100ms));
}

TEST_F(InTheQueue, SubscriptionsThatOpenInTheMiddleOfARoundAreCaughtUpWithAfterIt) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  reply(it, by_web_3, at(0s));
  on_timer(it, it.wake());
  const Time now = it.wake() - 1s;
  listen();
  it.on_listening(true, now);
  EXPECT_EQ(it.wake(), now + 1s);
  reply(it, by_web_3, now);
  EXPECT_EQ(it.wake(), now);
}

// In the queue there is nothing to do until the holder's time has run out; then one after the other.
TEST_F(InTheQueue, APlaceDecidesWhoLooksFirst) {
  for (const int place : {0, 1, 7}) {
    const Acquisition it = queued({{"web-3", 5}, 3s}, at(1s), place);
    EXPECT_GT(it.wake(), at(4s) + place * 10ms);
    EXPECT_LE(it.wake(), at(4005ms) + place * 10ms);
  }
}

TEST_F(InTheQueue, TheHundredthDoesNotWaitForEver) {
  const Acquisition it = queued({{"web-3", 5}, 3s}, at(1s), 100);
  EXPECT_LE(it.wake(), at(4205ms));
}

// A key without an expiry, or one in a thousand years: nobody will call.
TEST_F(InTheQueue, AHolderWithoutAnEndIsLookedAtNowAndThen) {
  const Acquisition forever = queued({{"by hand", 0}, std::nullopt}, at(1s));
  EXPECT_LE(forever.wake(), at(1300ms));
  const Acquisition ages = queued({{"by hand", 0}, Ttl::max()}, at(1s));
  EXPECT_LE(ages.wake(), at(1s) + 24h + 1s);
}

TEST_F(InTheQueue, ACallIsFollowedAtOnce) {
  Acquisition it = queued();
  it.on_wake_up(0, 0ms, at(1s));
  EXPECT_EQ(it.wake(), at(1s));
}

// The one before us was called: after the moment for which the name is kept for it.
TEST_F(InTheQueue, ACallForLaterIsFollowedThen) {
  Acquisition it = queued();
  it.on_wake_up(0, 250ms, at(1s));
  EXPECT_EQ(it.wake(), at(1250ms));
  it.on_wake_up(0, 250ms, at(2s));  // never later than what was planned
  EXPECT_EQ(it.wake(), at(1250ms));
}

// Also after a round before it that came to nothing, as when it subscribes again.
TEST_F(InTheQueue, ATurnThatIsStillToComeIsNotForgotten) {
  Acquisition it = queued();
  it.on_wake_up(0, 750ms, at(1s));
  it.on_listening(true, at(1100ms));
  on_timer(it, at(1100ms));
  reply(it, by_web_3, at(1110ms));
  EXPECT_EQ(it.wake(), at(1750ms));
  on_timer(it, at(1750ms));
  reply(it, by_web_3, at(1760ms));
  EXPECT_GT(it.wake(), at(20s));
}

// X13: where the name is only kept for other waiters, the answer says when our own turn comes. There is no race then.
TEST_F(InTheQueue, WhereItIsKeptForOthersItLooksWhenItsTurnComesWhateverItsPlace) {
  const Acquisition it = queued({{"web-3", 0, true}, 500ms}, at(1s), 12);
  EXPECT_GT(it.wake(), at(1500ms));
  EXPECT_LE(it.wake(), at(1505ms));
}

// T26: the message comes by another connection than the answer.
TEST_F(InTheQueue, ACallBeforeTheAnswerThatSaysHeldIsNotForgotten) {
  Acquisition it = queued();
  it.on_wake_up(0, 0ms, at(1s));
  on_timer(it, at(1s));
  it.on_wake_up(0, 0ms, at(1010ms));  // in the middle of the round
  EXPECT_EQ(it.wake(), at(2s));
  reply(it, by_web_3, at(1020ms));
  EXPECT_EQ(it.wake(), at(1100ms));
}

TEST_F(InTheQueue, WhoeverStandsInNoQueueIsNotCalled) {
  listen();
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  it.on_wake_up(0, 0ms, at(1ms));
  reply(it, by_web_3, at(2ms));
  on_timer(it, at(2ms));
  reply(it, by_web_3, at(3ms));
  EXPECT_GT(it.wake(), at(20s));
}

// Rounds that forged calls, as many as one likes, can bring about within so much time.
int rounds_in(Duration span, Duration after, Acquiring& test, Acquisition& it) {
  int rounds = 0;
  for (Time now = at(1s); now < at(1s) + span; now += 1ms) {
    it.on_wake_up(0, after, now);
    if (it.wake() > now) continue;
    test.on_timer(it, now);
    test.reply(it, by_web_3, now);
    rounds += 1;
  }
  return rounds;
}

// T27: half the retry delay apart.
TEST_F(InTheQueue, CallsThatCameToNothingAreNotBelievedAgainAtOnce) {
  Acquisition it = queued();
  EXPECT_LE(rounds_in(10s, 0ms, *this, it), 101);
}

// T27: neither are those that say when to look.
TEST_F(InTheQueue, CallsForLaterThatCameToNothingAreNotBelievedAgainAtOnce) {
  Acquisition it = queued();
  EXPECT_LE(rounds_in(10s, 1ms, *this, it), 101);
}

TEST_F(InTheQueue, WhoeverGivesUpLeavesTheQueue) {
  Acquisition it = queued();
  it.cancel(RefusalCode::cancelled, desk.out);
  const auto discarded = it.take_discarded();
  ASSERT_TRUE(discarded);
  EXPECT_EQ(discarded->ticket, it.ticket());
  EXPECT_EQ(discarded->nodes, std::vector<NodeIndex>{0});
  EXPECT_TRUE(discarded->wake);  // it may have been called just now: the name goes to the next
}

TEST_F(InTheQueue, WhoeverNeverStoodInAQueueHasNoneToLeave) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  reply(it, by_web_3, at(1ms));
  it.cancel(RefusalCode::cancelled, desk.out);
  EXPECT_FALSE(it.take_discarded());
}

// No node was heard, so the ticket went to none.
TEST_F(InTheQueue, ATicketThatWentNowhereIsNotTakenBack) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  reply(it, by_web_3, at(1ms));
  on_timer(it, it.wake());
  reply(it, by_web_3, at(1s));
  it.cancel(RefusalCode::cancelled, desk.out);
  EXPECT_FALSE(it.take_discarded());
}

TEST_F(InTheQueue, AnAcquireThatWasGrantedHasLeftTheQueueOfItsNode) {
  Acquisition it = queued();
  it.on_wake_up(0, 0ms, at(1s));
  on_timer(it, at(1s));
  EXPECT_TRUE(reply(it, Granted{7}, at(1s))->win);
  EXPECT_FALSE(it.take_discarded());
}

}  // namespace
}  // namespace tenure::core
