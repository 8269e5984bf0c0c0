#include "core/acquisition.hpp"

#include <gtest/gtest.h>

#include "machine.hpp"

namespace tenure::core {
namespace {

const Held by_web_3{{"web-3", 5}, 20s};

struct Acquiring : testing::Test {
  Desk desk;
  Timing timing = timing_of();  // a node has 1 s; too late from 7.331 s on

  Acquisition acquisition(std::optional<Duration> wait_max = Duration::zero(), std::size_t nodes = 1) {
    return {AcquireId{1}, {.key = "key", .timing = timing, .wait_max = wait_max}, Grant("us", "aa"), nodes};
  }
  auto reply(Acquisition& it, const Reply& reply, Time now, NodeIndex node = 0) {
    return it.on_reply(node, reply, now, desk.random, desk.out);
  }
  auto on_timer(Acquisition& it, Time now) { return it.on_timer(now, desk.random, desk.out); }
};

TEST_F(Acquiring, AGrantWinsAndCountsFromTheSend) {
  Acquisition it = acquisition();
  it.start(at(5s), desk.out);
  const auto end = reply(it, Granted{7}, at(5500ms));
  ASSERT_TRUE(end && end->win);
  EXPECT_EQ(end->win->token, 7U);
  EXPECT_EQ(end->win->sent, at(5s));
  EXPECT_EQ(end->win->nodes, std::vector<NodeIndex>{0});
  EXPECT_TRUE(end->clean_up.empty());
}

TEST_F(Acquiring, ARefusalNamesTheHolder) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  const auto end = reply(it, by_web_3, at(1ms));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::held);
  EXPECT_EQ(end->refusal.held->holder.owner, "web-3");
  EXPECT_TRUE(end->clean_up.empty());
}

TEST_F(Acquiring, ARecordThatIsNotOpenIsToldAtOnceAlsoToThoseWhoWait) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const auto end = reply(it, NotOpen{"quarantined 60000 e l 1"}, at(1ms));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::not_open);
  EXPECT_EQ(end->refusal.record, "quarantined 60000 e l 1");
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
  EXPECT_EQ(end->clean_up, std::vector<NodeIndex>{0});
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
    EXPECT_EQ(!end->clean_up.empty(), clean_up);
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
  EXPECT_EQ(end->clean_up, std::vector<NodeIndex>{0});
  EXPECT_EQ(desk.take<Drop>().size(), 1U);
  EXPECT_TRUE(desk.requests.empty());
}

// T14, M11
TEST_F(Acquiring, EveryRoundAsksByTheSameGrant) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const Grant first = std::get<AcquireRequest>(desk.take<Send>().at(0).request).grant;
  EXPECT_FALSE(reply(it, by_web_3, at(1ms)));
  for (int round = 0; round < 20; ++round) {
    EXPECT_FALSE(on_timer(it, it.wake()));
    const auto sent = desk.take<Send>();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(std::get<AcquireRequest>(sent[0].request).grant, first);
    EXPECT_FALSE(reply(it, round % 2 == 0 ? Reply(failed(Applied::perhaps)) : Reply(by_web_3), it.wake()));
  }
}

TEST_F(Acquiring, WaitingIsToldOnce) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  reply(it, by_web_3, at(1ms));
  EXPECT_EQ(desk.take<Waiting>().size(), 1U);
  on_timer(it, it.wake());
  reply(it, by_web_3, at(1s));
  EXPECT_TRUE(desk.take<Waiting>().empty());
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
  for (const Ttl left : {Ttl(-1), Ttl(std::int64_t{1} << 53U), Ttl::max()}) {
    Acquisition it = acquisition(std::nullopt);
    it.start(at(0s), desk.out);
    reply(it, Held{{"by hand", 0}, left}, at(1s));
    EXPECT_GE(it.wake(), at(1100ms)) << left.count();
    EXPECT_LE(it.wake(), at(1300ms)) << left.count();
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
  EXPECT_EQ(end->clean_up, std::vector<NodeIndex>{0});
  EXPECT_TRUE(desk.take<Drop>().empty());  // the connection is sound: the release goes behind (T12)
  EXPECT_TRUE(desk.requests.empty());
}

// T5, T7, T11
TEST_F(Acquiring, AMajorityOfThreeWinsWithOneNodeDown) {
  Acquisition it = acquisition(Duration::zero(), 3);
  it.start(at(0s), desk.out);
  EXPECT_EQ(desk.take<Send>().size(), 3U);
  EXPECT_FALSE(reply(it, failed(Applied::no, FailureCode::unreachable), at(1ms), 1));
  EXPECT_FALSE(reply(it, Granted{7}, at(2ms), 0));
  const auto end = reply(it, Granted{9}, at(3ms), 2);
  ASSERT_TRUE(end && end->win);
  EXPECT_EQ(end->win->nodes, (std::vector<NodeIndex>{0, 2}));
  EXPECT_EQ(end->win->token, 9U);
}

TEST_F(Acquiring, AMinorityOfThreeIsCleanedUpWhereItMayStand) {
  Acquisition it = acquisition(Duration::zero(), 3);
  it.start(at(0s), desk.out);
  EXPECT_FALSE(reply(it, Granted{7}, at(1ms), 0));
  EXPECT_FALSE(reply(it, by_web_3, at(2ms), 1));
  const auto end = on_timer(it, at(1s));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->clean_up, (std::vector<NodeIndex>{0, 2}));  // its silence may hide a grant
}

}  // namespace
}  // namespace tenure::core
