// Single tries and plain waits, over one node. What several nodes add: acquisition_quorum_test.cpp; queues
// and wake-ups: acquisition_waiting_test.cpp.
#include "unit/lease/acquiring.hpp"

namespace tenure::core {
namespace {

TEST_F(Acquiring, AGrantWinsAndCountsFromTheSend) {
  Acquisition it = acquisition();
  it.start(at(5s), desk.out);
  const auto end = reply(it, Granted{7}, at(5500ms));
  ASSERT_TRUE(end && end->win);
  EXPECT_EQ(end->win->token, 7U);
  EXPECT_EQ(end->win->sent, at(5s));
  EXPECT_EQ(end->win->nodes, std::vector<NodeIndex>{0});
  EXPECT_FALSE(it.take_discarded());
}

TEST_F(Acquiring, ARefusalNamesTheHolder) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  const auto end = reply(it, by_web_3, at(1ms));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::held);
  EXPECT_EQ(end->refusal.held->holder.owner, "web-3");
  EXPECT_FALSE(it.take_discarded());
}

TEST_F(Acquiring, ARecordThatIsNotOpenIsToldAtOnceToASingleTry) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  const auto end = reply(it, NotOpen{quarantined}, at(1ms));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::not_open);
  EXPECT_EQ(end->refusal.record, quarantined);
}

// T1
TEST_F(Acquiring, AGrantAtTheLastMomentOfUseWinsAndOneLaterDoesNot) {
  const Time last = timing.deadline(at(0s)) - timing.grace;
  Acquisition early = acquisition();
  early.start(at(0s), desk.out);
  EXPECT_TRUE(reply(early, Granted{7}, last - 1ns)->win);

  Acquisition late = acquisition();
  late.start(at(0s), desk.out);
  const auto end = reply(late, Granted{7}, last);
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::too_slow);
  EXPECT_EQ(late.take_discarded()->nodes, std::vector<NodeIndex>{0});
}

// S10, M17
TEST_F(Acquiring, WhatMayHaveTakenEffectIsCleanedUpAndNothingElse) {
  struct Case {
    Reply reply;
    bool clean_up;
  };
  for (const auto& [answer, clean_up] :
       {Case{failed(Applied::perhaps), true}, Case{failed(Applied::no), false},
        Case{KeyAnswers{KeyAnswer::done}, true}, Case{by_web_3, false}}) {
    Acquisition it = acquisition();
    it.start(at(0s), desk.out);
    const auto end = reply(it, answer, at(1ms));
    ASSERT_TRUE(end && !end->win);
    const auto discarded = it.take_discarded();
    EXPECT_EQ(discarded.has_value(), clean_up);
    if (!discarded) continue;
    EXPECT_EQ(discarded->grant, it.grant());
    EXPECT_EQ(discarded->gone_at, at(0s) + timing.ttl + timing.margin);
  }
}

TEST_F(Acquiring, SilenceIsDroppedAndCleanedUp) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  EXPECT_EQ(it.wake(), at(1s));
  const auto end = on_timer(it, at(1s));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::no_quorum);
  EXPECT_EQ(end->refusal.failures.at(0).failure.code, FailureCode::timed_out);
  EXPECT_EQ(it.take_discarded()->nodes, std::vector<NodeIndex>{0});
  EXPECT_EQ(desk.take<Drop>().size(), 1U);
  EXPECT_TRUE(desk.requests.empty());
}

// T2, T14, M11: a retry that meets its own earlier key must not block on itself.
TEST_F(Acquiring, EveryRoundAsksByTheSameGrantUntilARivalIsMet) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const Grant first = asked_by();
  EXPECT_EQ(first, it.grant());
  EXPECT_EQ(first, Grant("us", it.grant().nonce()));
  EXPECT_FALSE(reply(it, by_web_3, at(1ms)));  // it holds nothing: nothing to give up
  for (int round = 0; round < 20; ++round) {
    EXPECT_FALSE(on_timer(it, it.wake()));
    EXPECT_EQ(asked_by(), first);
    EXPECT_FALSE(reply(it, failed(Applied::perhaps), it.wake()));
    EXPECT_FALSE(it.take_discarded());
  }
}

// L6: a grant that may stand while another holds the name is given back, and never used again: its release
// could overtake a later acquire and delete it.
TEST_F(Acquiring, AGrantThatMayStandBesideARivalIsReplaced) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const Grant first = asked_by();
  EXPECT_FALSE(reply(it, by_web_3, at(1ms)));
  on_timer(it, it.wake());
  EXPECT_FALSE(reply(it, failed(Applied::perhaps), it.wake()));
  on_timer(it, it.wake());
  EXPECT_FALSE(reply(it, by_web_3, it.wake()));
  const auto discarded = it.take_discarded();
  ASSERT_TRUE(discarded);
  EXPECT_EQ(discarded->grant, first);
  EXPECT_EQ(discarded->nodes, std::vector<NodeIndex>{0});
  EXPECT_FALSE(discarded->ticket);  // it still waits
  desk.actions.clear();
  on_timer(it, it.wake());
  EXPECT_NE(asked_by(), first);
}

TEST_F(Acquiring, WaitingIsToldWhenItBeginsAndWhenItsReasonChanges) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const std::vector<std::pair<Reply, bool>> history{{by_web_3, true},
                                                    {Held{{"web-4", 6}, 9s}, false},
                                                    {failed(Applied::no), true},
                                                    {failed(Applied::no), false},
                                                    {NotOpen{quarantined}, true},
                                                    {NotOpen{quarantined}, false},
                                                    {by_web_3, true}};
  for (const auto& [answer, news] : history) {
    reply(it, answer, it.wake() - 1s);
    const auto told = desk.take<Waiting>();
    ASSERT_EQ(told.size(), news ? 1U : 0U);
    if (news) {
      EXPECT_EQ(told[0].refusal.held.has_value(), std::holds_alternative<Held>(answer));
    }
    on_timer(it, it.wake());
  }
}

TEST_F(Acquiring, TheNextLookComesJustAfterTheHoldersTimeHasRunOut) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  reply(it, Held{{"web-3", 5}, 30ms}, at(1s));
  EXPECT_GT(it.wake(), at(1030ms));
  EXPECT_LE(it.wake(), at(1035ms));
}

// A key that somebody set by hand may have no expiry, or one in a thousand years.
TEST_F(Acquiring, AHolderWithoutAnEndIsLookedAtAtTheUsualPace) {
  for (const std::optional<Ttl> left :
       {std::optional<Ttl>(), std::optional(Ttl(std::int64_t{1} << 53U)), std::optional(Ttl::max())}) {
    Acquisition it = acquisition(std::nullopt);
    it.start(at(0s), desk.out);
    reply(it, Held{{"by hand", 0}, left}, at(1s));
    EXPECT_GE(it.wake(), at(1100ms)) << left.value_or(Ttl::zero()).count();
    EXPECT_LE(it.wake(), at(1300ms)) << left.value_or(Ttl::zero()).count();
  }
}

// T25
TEST_F(Acquiring, TheWaitIsChargedOnceOverAllRounds) {
  Acquisition it = acquisition(1s);
  it.start(at(0s), desk.out);
  std::optional<Acquisition::End> end;
  Time now{};
  for (int steps = 0; !end && steps < 100; ++steps) {
    end = reply(it, by_web_3, now);
    if (end) break;
    now = it.wake();
    end = on_timer(it, now);
  }
  ASSERT_TRUE(end);
  EXPECT_EQ(end->refusal.code, RefusalCode::waited);
  EXPECT_EQ(now, at(1s));
}

TEST_F(Acquiring, TheLongestWaitIsNotOverAtOnce) {
  Acquisition it = acquisition(Duration::max());
  it.start(at(1h), desk.out);
  EXPECT_FALSE(reply(it, by_web_3, at(1h)));
  EXPECT_GT(it.wake(), at(1h));
  EXPECT_FALSE(on_timer(it, at(1h + 1ms)));
}

// T16
TEST_F(Acquiring, AWaitThatEndsInTheMiddleOfARoundCleansUp) {
  Acquisition it = acquisition(500ms);
  it.start(at(0s), desk.out);
  EXPECT_EQ(it.wake(), at(500ms));
  const auto end = on_timer(it, at(500ms));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::waited);
  EXPECT_EQ(it.take_discarded()->nodes, std::vector<NodeIndex>{0});
  EXPECT_TRUE(desk.take<Drop>().empty());  // the connection is sound: the release goes behind (T12)
  EXPECT_TRUE(desk.requests.empty());
}

// A connection that broke says nothing about the Redis behind it: once more at once, over a new one (T14).
TEST_F(Acquiring, ABrokenConnectionIsReplacedOnceByTheSameGrant) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  const Grant first = asked_by();
  EXPECT_FALSE(reply(it, failed(Applied::perhaps, FailureCode::closed), at(1ms)));
  EXPECT_EQ(asked_by(), first);
  const auto end = reply(it, failed(Applied::perhaps, FailureCode::closed), at(2ms));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->refusal.code, RefusalCode::no_quorum);
}

// F8: the node may have taken it from somebody who still holds it, and has now given it to us.
TEST_F(Acquiring, AGrantOfANodeWhoseClockJumpedDoesNotCountAndIsGivenBack) {
  for (const Duration shown : {Duration(0s), Duration(33s)}) {
    clocks.on_sent({0}, at(shown == 0s ? 0s : 2s));
    clocks.on_reply({0}, NodeClock{shown}, at(shown == 0s ? 0s : 2s));
  }
  Acquisition it = acquisition();
  it.start(at(3s), desk.out);
  const auto end = reply(it, Granted{7}, at(3s));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.failures.at(0).failure.code, FailureCode::clock);
  EXPECT_NE(end->refusal.failures.at(0).failure.detail.find("65s"), std::string::npos);
  EXPECT_TRUE(it.take_discarded());

  // That another holds it is an answer like any other, who waits is patient, and in the end it counts again.
  Acquisition busy = acquisition();
  busy.start(at(4s), desk.out);
  EXPECT_EQ(reply(busy, by_web_3, at(4s))->refusal.code, RefusalCode::held);
  Acquisition patient = acquisition(std::nullopt);
  patient.start(at(5s), desk.out);
  EXPECT_FALSE(reply(patient, Granted{7}, at(5s)));
  Acquisition later = acquisition();
  later.start(at(68s), desk.out);
  EXPECT_TRUE(reply(later, Granted{8}, at(68s))->win);
}

}  // namespace
}  // namespace tenure::core
