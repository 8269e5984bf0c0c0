// Several nodes: what a majority has is held. What a node lacks is put back there: keeper_heal_test.cpp.
#include <set>

#include "unit/lease/keeping.hpp"

namespace tenure::core {
namespace {

// T7
TEST_F(KeepingOnThree, ARenewalCountsFromTheSendThatAMajorityAnswered) {
  keep(1);
  const Time sent_at = wake();
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  reply(sent[0].id, KeyAnswers{KeyAnswer::done}, sent_at + 10ms);
  EXPECT_TRUE(look<Renewed>().empty());
  reply(sent[1].id, KeyAnswers{KeyAnswer::missing}, sent_at + 20ms);
  EXPECT_TRUE(look<Lost>().empty());  // one node that forgot is not a loss
  EXPECT_EQ(look<Send>().size(), 1U);
  reply(sent[2].id, KeyAnswers{KeyAnswer::done}, sent_at + 30ms);
  const auto renewed = look<Renewed>();
  ASSERT_EQ(renewed.size(), 1U);
  EXPECT_EQ(renewed[0].deadline, timing.deadline(sent_at));
  EXPECT_TRUE(look<Uncertain>().empty());
}

TEST_F(KeepingOnThree, ARenewalIsToldOnceHoweverManyAnswer) {
  keep(1);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  for (const auto& it : sent) reply(it.id, all_done(it), now);
  EXPECT_EQ(look<Renewed>().size(), 1U);
}

// T5, L5
TEST_F(KeepingOnThree, OneNodeDownMakesNothingUncertainHoweverLong) {
  keep(1);
  std::size_t renewed = 0;
  for (int round = 0; round < 10; ++round) {
    const Time now = wake();
    const auto sent = desk.take<Send>();
    ASSERT_EQ(sent.size(), 3U);
    reply(sent[0].id, all_done(sent[0]), now);
    reply(sent[2].id, all_done(sent[2]), now);
    renewed += look<Renewed>().size();
    if (round % 2 == 0) {
      reply(sent[1].id, failed(Applied::no, FailureCode::unreachable), now);
    } else {
      EXPECT_EQ(wake(), now + timing.node_timeout);  // silent
      EXPECT_EQ(look<Drop>().size(), 1U);
    }
    EXPECT_TRUE(look<Uncertain>().empty());
    EXPECT_TRUE(look<Lost>().empty());
    // The usual rhythm, not that of a failure.
    EXPECT_GE(keeper.wake().value(), now + 2999ms);
    desk.actions.clear();
  }
  EXPECT_EQ(renewed, 10U);
  EXPECT_EQ(keeper.failed_renewals(), 0U);
}

TEST_F(KeepingOnThree, TwoNodesDownAreUncertainAndThenALoss) {
  keep(1);
  std::size_t uncertain = 0;
  std::vector<Lost> lost;
  Time now{};
  for (int wakes = 0; lost.empty() && wakes < 100; ++wakes) {
    now = wake();
    for (const auto& it : look<Send>()) {
      if (it.node == 0) reply(it.id, all_done(it), now);
    }
    EXPECT_TRUE(look<Renewed>().empty());
    uncertain += look<Uncertain>().size();
    lost = desk.take<Lost>();
  }
  EXPECT_EQ(uncertain, 1U);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].reason, LossReason::not_renewed);
  EXPECT_EQ(now, timing.deadline(at(0s)) - timing.grace);
}

TEST_F(KeepingOnThree, ThousandsOfLeasesGoInBatchesToEveryNode) {
  for (std::uint64_t i = 1; i <= 1'200; ++i) keep(i);
  std::size_t calls = 0;
  std::set<std::pair<NodeIndex, std::string>> renewed;
  for (int wakes = 0; keeper.wake().value() <= at(3334ms) && wakes < 100; ++wakes) {
    wake();
    for (const auto& call : desk.take<Send>()) {
      calls += 1;
      EXPECT_LE(keys(call).size(), BatchMax{}.leases);
      for (const auto& key : keys(call)) EXPECT_TRUE(renewed.emplace(call.node, key).second);
    }
  }
  EXPECT_EQ(calls, 9U);
  EXPECT_EQ(renewed.size(), 3'600U);
}

// S6: a majority, but of answers that came after the deadline.
TEST_F(KeepingOnThree, AMajorityThatAnswersAfterTheDeadlineRevivesNothing) {
  keep(1);
  wake();
  const auto sent = desk.take<Send>();
  reply(sent[0].id, all_done(sent[0]), at(4s));
  reply(sent[1].id, all_done(sent[1]), timing.deadline(at(0s)));
  EXPECT_TRUE(look<Renewed>().empty());
  EXPECT_EQ(look<Lost>().size(), 1U);
  reply(sent[2].id, all_done(sent[2]), timing.deadline(at(0s)));
  EXPECT_EQ(look<Lost>().size(), 1U);
}

// T18
TEST_F(KeepingOnThree, ALeaseLetGoInTheMiddleOfARoundLeavesNothing) {
  const LeaseId lease = keep(1);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  reply(sent[0].id, all_done(sent[0]), now);
  keeper.forget(lease);
  reply(sent[1].id, all_done(sent[1]), now);
  EXPECT_FALSE(keeper.empty());
  reply(sent[2].id, failed(Applied::perhaps), now);
  EXPECT_TRUE(keeper.empty());
  EXPECT_TRUE(desk.actions.empty());
  EXPECT_EQ(keeper.wake(), std::nullopt);
}

// L9: whatever happened, nothing stays once everything is let go.
TEST_F(Keeping, ARandomHistoryLeavesNothingBehind) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random chance(seed);
    nodes = seed % 2 == 0 ? 3 : 1;
    keeper = Keeper("us", nodes);
    desk.actions.clear();
    Time now{};
    std::vector<Send> open;
    std::set<LeaseId> alive;
    for (std::uint64_t step = 1; step <= 300; ++step) {
      if (chance.below(4) == 0) alive.insert(keep(step, now));
      if (chance.below(8) == 0 && !alive.empty()) {
        keeper.forget(*alive.begin());
        alive.erase(alive.begin());
      }
      now = std::max(now, keeper.wake().value_or(now)) + chance.between(0s, 5ms);
      on_timer(now);
      for (const auto& action : std::exchange(desk.actions, {})) {
        if (const auto* sent = std::get_if<Send>(&action)) open.push_back(*sent);
        if (const auto* drop = std::get_if<Drop>(&action)) {
          std::erase_if(open, [&](const Send& it) { return it.id == drop->id; });
        }
      }
      if (!open.empty() && chance.below(3) != 0) {
        KeyAnswers answers;
        for (std::size_t i = 0; i < keys(open[0]).size(); ++i) {
          answers.push_back(chance.below(10) == 0 ? KeyAnswer::missing : KeyAnswer::done);
        }
        const auto kind = chance.below(10);
        reply(open[0].id,
              kind < 2    ? Reply(failed(Applied::perhaps))
              : kind == 2 ? Reply(NotOpen{})
                          : Reply(answers),
              now);
        open.erase(open.begin());
      }
    }
    for (const LeaseId id : alive) keeper.forget(id);
    on_timer(now + 60s);
    EXPECT_TRUE(keeper.empty());
    EXPECT_EQ(keeper.wake(), std::nullopt);
    EXPECT_TRUE(desk.requests.empty());
  }
}

}  // namespace
}  // namespace tenure::core
