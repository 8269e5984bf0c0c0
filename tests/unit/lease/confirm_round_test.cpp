#include "core/lease/confirm_round.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

const Reply confirmed = KeyAnswers{KeyAnswer::done};
const Reply missing = KeyAnswers{KeyAnswer::missing};
const Reply foreign = KeyAnswers{KeyAnswer::foreign};
const Reply down = failed(Applied::no, FailureCode::unreachable);

struct Confirming : testing::Test {
  Desk desk;
  Timing timing = timing_of();  // a node has 1 s; too late from 7.331 s after the first round was sent
  Grant grant{"us", 0xaa};

  // Over so many nodes: those that granted, those that were silent in the first round, which began at 0 s.
  ConfirmRound start(std::size_t nodes, std::vector<NodeIndex> granted,
                     const std::vector<NodeIndex>& silent = {}, std::vector<NodeFailure> failures = {},
                     Time now = at(1s)) {
    ConfirmRound round(Win{12, std::move(granted), at(0s)}, std::move(failures), nodes, timing);
    round.start("key", grant, silent, now, desk.out);
    return round;
  }
};

// M6: nowhere else. A fence that was raised without the grant would let two grants come by one token.
TEST_F(Confirming, TheTokenGoesWhereTheGrantStandsOrMayStand) {
  ConfirmRound round = start(5, {0, 2, 4}, {3});
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_EQ(round.ends_at(), at(2s));
  std::vector<NodeIndex> nodes;
  for (const auto& it : sent) {
    nodes.push_back(it.node);
    EXPECT_EQ(std::get<ConfirmRequest>(it.request).key, "key");
    EXPECT_EQ(std::get<ConfirmRequest>(it.request).grant, grant);
    EXPECT_EQ(std::get<ConfirmRequest>(it.request).token, 12U);
  }
  EXPECT_EQ(nodes, (std::vector<NodeIndex>{0, 2, 3, 4}));
}

// M5
TEST_F(Confirming, AMajorityMustHaveTakenItAndOnlyThoseNodesHaveIt) {
  ConfirmRound round = start(5, {0, 2, 4}, {3});
  EXPECT_FALSE(round.on_reply(2, confirmed, at(1s)));
  EXPECT_FALSE(round.on_reply(0, missing, at(1s)));
  EXPECT_FALSE(round.on_reply(3, confirmed, at(1s)));
  const auto result = round.on_reply(4, confirmed, at(1s));
  ASSERT_TRUE(result);
  const Win& win = std::get<Win>(*result);
  EXPECT_EQ(win.token, 12U);
  EXPECT_EQ(win.nodes, (std::vector<NodeIndex>{2, 3, 4}));
  EXPECT_EQ(win.sent, at(0s));  // the first round armed it
}

// What a majority gave and did not keep until now, it gave for too short a time.
TEST_F(Confirming, AGrantThatIsGoneIsTooSlow) {
  for (const Reply& answer : {missing, foreign}) {
    ConfirmRound round = start(3, {0, 1});
    const auto result = round.on_reply(0, answer, at(1s));
    ASSERT_TRUE(result);
    EXPECT_EQ(std::get<Refusal>(*result).code, RefusalCode::too_slow);
  }
}

// With what failed in the first round.
TEST_F(Confirming, FailuresOfBothRoundsExplainWhyThereIsNoMajority) {
  ConfirmRound round = start(3, {0, 1}, {}, {{2, std::get<Failure>(down)}});
  const auto result = round.on_reply(1, down, at(1s));
  ASSERT_TRUE(result);
  const auto& refusal = std::get<Refusal>(*result);
  EXPECT_EQ(refusal.code, RefusalCode::no_quorum);
  ASSERT_EQ(refusal.failures.size(), 2U);
  EXPECT_EQ(refusal.failures[0].node, 2U);
  EXPECT_EQ(refusal.failures[1].node, 1U);
}

TEST_F(Confirming, ANodeThatAnswersNonsenseHasFailed) {
  for (const Reply& nonsense :
       {Reply(KeyAnswers{}), Reply(KeyAnswers(2, KeyAnswer::done)), Reply(Granted{7})}) {
    ConfirmRound round = start(3, {0, 1, 2});
    EXPECT_FALSE(round.on_reply(0, nonsense, at(1s)));
    const auto result = round.on_reply(1, nonsense, at(1s));
    ASSERT_TRUE(result);
    EXPECT_EQ(std::get<Refusal>(*result).code, RefusalCode::no_quorum);
    EXPECT_EQ(std::get<Refusal>(*result).failures.at(0).failure.code, FailureCode::protocol);
  }
}

// T1: the lease counts from the first round.
TEST_F(Confirming, AMajorityThatComesTooLateToBeOfUseIsNone) {
  const Time last = timing.deadline(at(0s)) - timing.grace;
  ConfirmRound early = start(3, {0, 1});
  early.on_reply(0, confirmed, last - 1ns);
  EXPECT_TRUE(std::holds_alternative<Win>(early.on_reply(1, confirmed, last - 1ns).value()));
  ConfirmRound late = start(3, {0, 1});
  late.on_reply(0, confirmed, at(1s));
  EXPECT_EQ(std::get<Refusal>(late.on_reply(1, confirmed, last).value()).code, RefusalCode::too_slow);
}

// T8
TEST_F(Confirming, SilentNodesHaveFailedAfterTheNodeTimeout) {
  ConfirmRound round = start(3, {0, 1}, {2});
  desk.actions.clear();
  EXPECT_FALSE(round.on_reply(0, confirmed, at(1s)));
  EXPECT_FALSE(round.on_timer(at(2s) - 1ns, desk.out));
  const auto result = round.on_timer(at(2s), desk.out);
  ASSERT_TRUE(result);
  EXPECT_EQ(std::get<Refusal>(*result).code, RefusalCode::no_quorum);
  EXPECT_EQ(desk.take<Drop>().size(), 2U);
}

TEST_F(Confirming, AbandonedItStopsListeningAndDropsNothing) {
  ConfirmRound round = start(3, {0, 1}, {2});
  desk.actions.clear();
  round.on_reply(1, confirmed, at(1s));
  desk.requests.take(RequestId{2});
  round.abandon(desk.out);
  EXPECT_TRUE(desk.actions.empty());
  EXPECT_TRUE(desk.requests.empty());
}

}  // namespace
}  // namespace tenure::core
