// Several nodes: the two rounds, what is cleaned up where, and quarantines.
#include "unit/lease/acquiring.hpp"

namespace tenure::core {
namespace {

const Reply confirmed = KeyAnswers{KeyAnswer::done};
const Reply missing = KeyAnswers{KeyAnswer::missing};

struct AcquiringFromThree : Acquiring {
  AcquiringFromThree() { nodes(3); }

  template <class Kind>
  std::vector<NodeIndex> sent_to() {
    std::vector<NodeIndex> found;
    for (const auto& it : desk.take<Send>()) {
      if (std::holds_alternative<Kind>(it.request)) found.push_back(it.node);
    }
    return found;
  }
};

// M5, T5, T7
TEST_F(AcquiringFromThree, AMajorityIsALeaseOnceAMajorityHasConfirmedIt) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  EXPECT_EQ(desk.take<Send>().size(), 3U);
  EXPECT_FALSE(reply(it, failed(Applied::no, FailureCode::unreachable), at(1ms), 1));
  EXPECT_FALSE(reply(it, Granted{7}, at(2ms), 0));
  EXPECT_FALSE(reply(it, Granted{9}, at(3ms), 2));
  EXPECT_EQ(it.wake(), at(1003ms));
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 2U);
  for (const auto& request : sent) EXPECT_EQ(std::get<ConfirmRequest>(request.request).token, 9U);

  EXPECT_FALSE(reply(it, confirmed, at(4ms), 0));
  const auto end = reply(it, confirmed, at(5ms), 2);
  ASSERT_TRUE(end && end->win);
  EXPECT_EQ(end->win->nodes, (std::vector<NodeIndex>{0, 2}));
  EXPECT_EQ(end->win->token, 9U);
  EXPECT_EQ(end->win->sent, at(0s));
  EXPECT_FALSE(it.take_discarded());
}

// S3
TEST_F(AcquiringFromThree, ATokenThatAMajorityMintedIsALeaseAtOnce) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  desk.actions.clear();
  EXPECT_FALSE(reply(it, Granted{7}, at(1ms), 0));
  const auto end = reply(it, Granted{7}, at(2ms), 2);
  ASSERT_TRUE(end && end->win);
  EXPECT_EQ(end->win->token, 7U);
  EXPECT_EQ(end->win->nodes, (std::vector<NodeIndex>{0, 2}));
  EXPECT_EQ(end->win->sent, at(0s));
  // The slow one is not waited for; whoever keeps the lease hears of it.
  EXPECT_EQ(end->unanswered, (std::vector<Unanswered>{{1, RequestId{2}}}));
  EXPECT_TRUE(desk.actions.empty());
  EXPECT_FALSE(it.take_discarded());
}

// The slow ones are not waited for; what they did is confirmed behind it, and the answers are of no interest.
TEST_F(AcquiringFromThree, TheSlowestNodeIsAskedAndNotWaitedFor) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  desk.actions.clear();
  reply(it, Granted{7}, at(1ms), 0);
  reply(it, Granted{8}, at(1ms), 1);
  EXPECT_EQ(sent_to<ConfirmRequest>(), (std::vector<NodeIndex>{0, 1, 2}));
  reply(it, confirmed, at(2ms), 2);
  EXPECT_TRUE(reply(it, confirmed, at(2ms), 1)->win);
  EXPECT_TRUE(desk.take<Drop>().empty());
}

TEST_F(AcquiringFromThree, AConfirmationThatFailsIsGivenBackWhereverItMayStand) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  reply(it, Granted{7}, at(1ms), 0);
  reply(it, Granted{8}, at(1ms), 1);
  EXPECT_FALSE(reply(it, missing, at(2ms), 0));
  const auto end = reply(it, missing, at(2ms), 1);
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::too_slow);
  const auto discarded = it.take_discarded();
  ASSERT_TRUE(discarded);
  EXPECT_EQ(discarded->nodes, (std::vector<NodeIndex>{0, 1, 2}));
  EXPECT_TRUE(discarded->wake);  // others may have waited for it since
}

// T13
TEST_F(AcquiringFromThree, CancelledInTheSecondRoundItGivesBackWhatItMayHold) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  reply(it, Granted{7}, at(1ms), 0);
  reply(it, by_web_3, at(1ms), 1);
  reply(it, Granted{8}, at(1ms), 2);
  desk.actions.clear();
  it.cancel(RefusalCode::cancelled, desk.out);
  EXPECT_EQ(it.take_discarded()->nodes, (std::vector<NodeIndex>{0, 2}));
  EXPECT_TRUE(desk.actions.empty());
}

// T11
TEST_F(AcquiringFromThree, AMinorityIsCleanedUpWhereItMayStand) {
  Acquisition it = acquisition();
  it.start(at(0s), desk.out);
  EXPECT_FALSE(reply(it, Granted{7}, at(1ms), 0));
  EXPECT_FALSE(reply(it, by_web_3, at(2ms), 1));
  const auto end = on_timer(it, at(1s));
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(it.take_discarded()->nodes, (std::vector<NodeIndex>{0, 2}));  // its silence may hide a grant
}

// L6: two that keep what they have would block each other until it expires.
TEST_F(AcquiringFromThree, WhoeverLostASplitVoteLetsGoQuietlyAndComesBackByAFreshGrant) {
  listen();
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const Grant first = asked_by();
  reply(it, Granted{7}, at(1ms), 0);
  reply(it, Held{{"web-3", 7}, 10s}, at(1ms), 1);
  EXPECT_FALSE(reply(it, Held{{"web-4", 7}, 10s}, at(1ms), 2));
  const auto discarded = it.take_discarded();
  ASSERT_TRUE(discarded);
  EXPECT_EQ(discarded->grant, first);
  EXPECT_EQ(discarded->nodes, std::vector<NodeIndex>{0});
  EXPECT_FALSE(discarded->wake);
  // After a while of its own, also if it listens: the rivals do the same.
  EXPECT_GE(it.wake(), at(101ms));
  EXPECT_LE(it.wake(), at(301ms));
  desk.actions.clear();
  on_timer(it, it.wake());
  EXPECT_NE(asked_by(), first);
}

// What a majority had given may have been waited for.
TEST_F(AcquiringFromThree, AGrantThatAMajorityGaveWakesTheNextWhenItIsGivenBack) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  for (const NodeIndex node : {0U, 1U}) reply(it, Granted{7 + node}, at(1ms), node);
  for (const NodeIndex node : {0U, 1U}) reply(it, missing, at(2ms), node);
  EXPECT_TRUE(it.take_discarded()->wake);
}

TEST_F(AcquiringFromThree, AQuarantineIsWaitedForAndTriedMoreAndMoreSeldom) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  Duration longest{};
  Time now = at(0s);
  for (int round = 0; round < 20; ++round) {
    EXPECT_FALSE(reply(it, NotOpen{quarantined}, now, 0));
    EXPECT_FALSE(reply(it, NotOpen{quarantined}, now, 1));
    longest = std::max(longest, it.wake() - now);
    EXPECT_LE(it.wake() - now, 1s);
    now = it.wake();
    EXPECT_FALSE(on_timer(it, now));
  }
  EXPECT_GE(longest, 500ms);
  const auto told = desk.take<Waiting>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].refusal.code, RefusalCode::not_open);
  EXPECT_EQ(told[0].refusal.record, quarantined);
}

TEST_F(AcquiringFromThree, AfterAQuarantineItGoesAtOnce) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  for (const NodeIndex node : {0U, 1U}) reply(it, NotOpen{quarantined}, at(1ms), node);
  EXPECT_GT(it.wake(), at(2ms));
  it.on_opened(at(2ms));
  EXPECT_EQ(it.wake(), at(2ms));
}

// It does not concern who waits for a holder, or whose round is on its way.
TEST_F(AcquiringFromThree, TheEndOfAQuarantineHurriesNobodyElse) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  it.on_opened(at(1ms));
  EXPECT_EQ(it.wake(), at(1s));
  for (const NodeIndex node : {0U, 1U}) reply(it, by_web_3, at(2ms), node);
  const Time next = it.wake();
  it.on_opened(at(3ms));
  EXPECT_EQ(it.wake(), next);
}

// A quarantine ends by itself; another cap does not.
TEST_F(AcquiringFromThree, AnotherCapIsToldAtOnceAlsoToThoseWhoWait) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const NotOpen other{of_another_cap};
  reply(it, other, at(1ms), 0);
  const auto end = reply(it, other, at(1ms), 1);
  ASSERT_TRUE(end && !end->win);
  EXPECT_EQ(end->refusal.code, RefusalCode::not_open);
}

// F8
TEST_F(AcquiringFromThree, ANodeWhoseClockJumpedIsOutvotedAndNotAskedToConfirm) {
  clocks.on_sent({1}, at(0s));
  clocks.on_reply({1}, NodeClock{100s}, at(0s));
  clocks.on_sent({1}, at(2s));
  ASSERT_TRUE(clocks.on_reply({1}, NodeClock{71s}, at(2s)));
  Acquisition it = acquisition();
  it.start(at(3s), desk.out);
  EXPECT_FALSE(reply(it, Granted{7}, at(3s), 0));
  EXPECT_FALSE(reply(it, Granted{7}, at(3s), 1));
  desk.actions.clear();
  EXPECT_FALSE(reply(it, Granted{8}, at(3s), 2));
  EXPECT_EQ(sent_to<ConfirmRequest>(), (std::vector<NodeIndex>{0, 2}));
  EXPECT_TRUE(reply(it, missing, at(3s), 2));
  EXPECT_EQ(it.take_discarded()->nodes, (std::vector<NodeIndex>{0, 1, 2}));  // it holds it all the same
}

}  // namespace
}  // namespace tenure::core
