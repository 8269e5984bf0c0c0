#include "core/lease/acquire_round.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

const Reply granted = Granted{7};
const Reply held = Held{{"web-3", 5}, 20s};
const Reply closed = NotOpen{in_quarantine("e")};
const Reply down = failed(Applied::no, FailureCode::unreachable);
const Reply lost = failed(Applied::perhaps);

struct Round : testing::Test {
  Desk desk;
  Timing timing = timing_of();  // a node has 1 s; too late from 7.331 s on
  Grant grant{"us", 0xaa};

  AcquireRound start(std::size_t nodes, Time now = at(0s)) {
    AcquireRound round(nodes, timing);
    round.start({"key", grant, timing.ttl}, std::vector<bool>(nodes, false), now, desk.out);
    return round;
  }
  // The nodes answer in this order, one after the other; the result, once there is one.
  std::optional<RoundResult> hear(AcquireRound& round, const std::vector<Reply>& replies,
                                  Time now = at(1ms)) {
    std::optional<RoundResult> result;
    for (NodeIndex node = 0; node < replies.size() && !result; ++node) {
      result = round.on_reply(node, replies[node], now);
    }
    return result;
  }
};

TEST_F(Round, AllNodesAreAskedAtOnceByTheSameGrant) {
  start(5);
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 5U);
  for (NodeIndex node = 0; node < 5; ++node) {
    EXPECT_EQ(sent[node].node, node);
    EXPECT_EQ(sent[node].answer_within, 1s);
    EXPECT_EQ(std::get<AcquireRequest>(sent[node].request).grant, grant);
    EXPECT_EQ(std::get<AcquireRequest>(sent[node].request).ttl, 10s);
  }
}

// A place in a queue whose messages nobody hears would keep the name from others.
TEST_F(Round, ATicketGoesOnlyToTheNodesThatAreHeard) {
  AcquireRound round(3, timing);
  const Grant ticket("us", 0xbb);
  round.start({"key", grant, timing.ttl, ticket}, {true, false, true}, at(0s), desk.out);
  const auto sent = desk.take<Send>();
  EXPECT_EQ(std::get<AcquireRequest>(sent.at(0).request).ticket, ticket);
  EXPECT_EQ(std::get<AcquireRequest>(sent.at(1).request).ticket, std::nullopt);
  EXPECT_EQ(std::get<AcquireRequest>(sent.at(2).request).ticket, ticket);
}

// T7, M12: of the configured nodes, whatever the others do.
TEST_F(Round, AMajorityOfTheConfiguredNodesWins) {
  for (const std::size_t nodes : {1U, 2U, 3U, 4U, 5U}) {
    AcquireRound round = start(nodes);
    for (NodeIndex node = 0; node < nodes / 2; ++node) EXPECT_FALSE(round.on_reply(node, granted, at(1ms)));
    const auto result = round.on_reply(static_cast<NodeIndex>(nodes / 2), granted, at(1ms));
    ASSERT_TRUE(result && std::holds_alternative<Win>(*result)) << nodes;
    EXPECT_EQ(std::get<Win>(*result).nodes.size(), nodes / 2 + 1);
  }
}

// S3: later grants meet one of these nodes, and it must not give less than the largest.
TEST_F(Round, TheTokenIsTheLargestAndTheLeaseCountsFromTheSend) {
  AcquireRound round = start(5, at(3s));
  const auto result = hear(round, {Granted{9}, down, Granted{12}, held, Granted{10}}, at(3500ms));
  ASSERT_TRUE(result);
  const Win& win = std::get<Win>(*result);
  EXPECT_EQ(win.token, 12U);
  EXPECT_EQ(win.sent, at(3s));
  EXPECT_EQ(win.nodes, (std::vector<NodeIndex>{0, 2, 4}));
}

// M5, M54: what stands on a majority needs no second round; what stands on fewer does, whoever proposed it.
TEST_F(Round, ATokenThatAWholeMajorityMintedIsAgreed) {
  struct Case {
    std::vector<Reply> replies;
    bool agreed;
  };
  const std::vector<Case> cases{
      {{Granted{7}}, true},
      {{Granted{7}, Granted{7}, down}, true},
      {{down, Granted{7}, Granted{7}}, true},
      {{Granted{7}, Granted{8}, down}, false},
      {{Granted{8}, held, Granted{7}}, false},
      {{Granted{7}, Granted{7}, Granted{7}, down, down}, true},
      {{Granted{7}, Granted{8}, Granted{8}, down, down}, false},
      {{Granted{8}, Granted{7}, Granted{8}, down, down}, false},
      {{Granted{8}, Granted{8}, Granted{7}, down, down}, false},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    AcquireRound round = start(cases[i].replies.size());
    const auto result = hear(round, cases[i].replies);
    ASSERT_TRUE(result && std::holds_alternative<Win>(*result)) << "case " << i;
    EXPECT_EQ(std::get<Win>(*result).agreed, cases[i].agreed) << "case " << i;
  }
}

TEST_F(Round, AllNodesAreProposedTheSameToken) {
  AcquireRound round(3, timing);
  round.start({"key", grant, timing.ttl, std::nullopt, 99}, std::vector<bool>(3, false), at(0s), desk.out);
  for (const Send& it : desk.take<Send>()) EXPECT_EQ(std::get<AcquireRequest>(it.request).proposal, 99U);
}

// Busy only where a majority would have answered it otherwise: waiting for a holder does not mend the others.
TEST_F(Round, TheReasonOfARefusalIsWhatWouldHaveToChange) {
  struct Case {
    std::size_t nodes;
    std::vector<Reply> replies;  // of the first ones, in their order
    RefusalCode code;
  };
  const std::vector<Case> cases{
      {1, {held}, RefusalCode::held},
      {1, {down}, RefusalCode::no_quorum},
      {1, {closed}, RefusalCode::not_open},
      // One of three may be away.
      {3, {held, held}, RefusalCode::held},
      {3, {down, held}, RefusalCode::held},
      {3, {granted, closed, held}, RefusalCode::held},
      {3, {down, down}, RefusalCode::no_quorum},
      {3, {down, granted, lost}, RefusalCode::no_quorum},
      {3, {closed, closed}, RefusalCode::not_open},
      {3, {down, granted, closed}, RefusalCode::not_open},
      // Two of five.
      {5, {held, held, held}, RefusalCode::held},
      {5, {down, closed, granted, granted, held}, RefusalCode::held},
      {5, {down, down, granted, held}, RefusalCode::held},
      {5, {down, down, granted, granted, lost}, RefusalCode::no_quorum},
      {5, {down, held, down, granted, granted}, RefusalCode::held},
      {5, {down, down, closed}, RefusalCode::not_open},
      {5, {granted, closed, granted, closed, closed}, RefusalCode::not_open},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    AcquireRound round = start(cases[i].nodes);
    const auto result = hear(round, cases[i].replies);
    ASSERT_TRUE(result && std::holds_alternative<Refusal>(*result)) << "case " << i;
    EXPECT_EQ(std::get<Refusal>(*result).code, cases[i].code) << "case " << i;
  }
}

// T6
TEST_F(Round, ASplitVoteOfAnEvenNumberEnds) {
  AcquireRound two = start(2);
  EXPECT_TRUE(hear(two, {granted, held}));
  AcquireRound four = start(4);
  EXPECT_TRUE(hear(four, {granted, held, granted, held}));
  EXPECT_EQ(four.granted(), 2U);
}

TEST_F(Round, ARefusalNamesTheLikeliestOwnerTheRecordAndEveryFailure) {
  AcquireRound round = start(7);
  const auto result = hear(round, {Held{{"web-3", 5}, 20s}, closed, down, Held{{"web-4", 9}, 10s}});
  ASSERT_TRUE(result);
  const auto& refusal = std::get<Refusal>(*result);
  EXPECT_EQ(refusal.held->holder.owner, "web-4");  // the largest token: others hold a few nodes at most
  EXPECT_EQ(refusal.record, std::get<NotOpen>(closed).record);
  EXPECT_EQ(refusal.closed, std::vector<NodeIndex>{1});
  ASSERT_EQ(refusal.failures.size(), 1U);
  EXPECT_EQ(refusal.failures[0].node, 2U);
  EXPECT_EQ(round.held().size(), 2U);
}

// T1
TEST_F(Round, AMajorityThatComesTooLateToBeOfUseIsNone) {
  const Time last = timing.deadline(at(0s)) - timing.grace;
  AcquireRound early = start(3);
  EXPECT_TRUE(std::holds_alternative<Win>(hear(early, {granted, granted}, last - 1ns).value()));
  AcquireRound late = start(3);
  EXPECT_EQ(std::get<Refusal>(hear(late, {granted, granted}, last).value()).code, RefusalCode::too_slow);
}

// T8
TEST_F(Round, SilentNodesHaveFailedAfterTheNodeTimeout) {
  AcquireRound round = start(3);
  desk.actions.clear();
  round.on_reply(1, granted, at(1ms));
  EXPECT_FALSE(round.on_timer(round.ends_at() - 1ns, desk.out));
  EXPECT_TRUE(desk.actions.empty());
  const auto result = round.on_timer(at(1s), desk.out);
  ASSERT_TRUE(result);
  EXPECT_EQ(std::get<Refusal>(*result).code, RefusalCode::no_quorum);
  const auto dropped = desk.take<Drop>();
  ASSERT_EQ(dropped.size(), 2U);
  EXPECT_EQ(dropped[0].node, 0U);
  EXPECT_EQ(dropped[1].node, 2U);
}

// S10, T11: what a node may hold, once it has answered or not.
TEST_F(Round, OnlyAnAnswerSaysThatANodeHoldsNothing) {
  AcquireRound round = start(7);
  round.on_reply(0, granted, at(1ms));
  round.on_reply(1, held, at(1ms));
  round.on_reply(2, closed, at(1ms));
  round.on_reply(3, down, at(1ms));
  round.on_reply(4, lost, at(1ms));
  round.on_reply(5, KeyAnswers{KeyAnswer::missing}, at(1ms));  // nonsense
  const std::vector<bool> may_hold{true, false, false, false, true, true, true};
  for (NodeIndex node = 0; node < 7; ++node) EXPECT_EQ(round.may_hold(node), may_hold[node]) << node;
}

// The requests are forgotten, the connections are sound: what follows goes behind (T12).
TEST_F(Round, AbandonedItSaysWhoWasSilentAndDropsNothing) {
  AcquireRound round = start(3);
  desk.actions.clear();
  round.on_reply(1, granted, at(1ms));
  desk.requests.take(RequestId{2});
  EXPECT_EQ(round.abandon(desk.out), (std::vector<NodeIndex>{0, 2}));
  EXPECT_TRUE(desk.actions.empty());
  EXPECT_TRUE(desk.requests.empty());
  EXPECT_TRUE(round.abandon(desk.out).empty());
}

// Somebody else hears the answers, which are not forgotten.
TEST_F(Round, WhatIsUnansweredCanBeTakenOver) {
  AcquireRound round = start(3);
  round.on_reply(1, granted, at(1ms));
  EXPECT_EQ(round.take_unanswered(), (std::vector<Unanswered>{{0, RequestId{1}}, {2, RequestId{3}}}));
  EXPECT_TRUE(round.take_unanswered().empty());
  EXPECT_TRUE(desk.requests.take(RequestId{1}));
}

}  // namespace
}  // namespace tenure::core
