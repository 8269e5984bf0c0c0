#include "core/keeper.hpp"

#include <gtest/gtest.h>

#include <set>

#include "machine.hpp"

namespace tenure::core {
namespace {

struct Keeping : testing::Test {
  Keeper keeper{1};
  Desk desk;
  Timing timing = timing_of();  // renewed within 3.333 s, lost at 7.331 s, over at 8.998 s

  LeaseId keep(std::uint64_t number, Time sent, Time now) {
    const auto name = std::to_string(number);
    keeper.keep({LeaseId{number}, "key" + name, "us#n#" + name, timing, sent, {0}}, now, desk.random);
    return LeaseId{number};
  }
  LeaseId keep(std::uint64_t number, Time sent = at(0s)) { return keep(number, sent, sent); }

  void reply(RequestId id, const Reply& answer, Time now) {
    desk.requests.take(id);
    keeper.on_reply(id, answer, now, desk.random, desk.out);
  }
  void on_timer(Time now) { keeper.on_timer(now, desk.random, desk.out); }
  // Lets time pass to the next wake, and says what time it is then.
  Time wake() {
    const Time now = keeper.wake().value();
    on_timer(now);
    return now;
  }
  std::vector<std::string> keys(const Send& sent) const {
    std::vector<std::string> found;
    for (const auto& item : std::get<RenewRequest>(sent.request).items) found.push_back(item.key);
    return found;
  }
  static KeyAnswers all_done(const Send& sent) {
    return KeyAnswers(std::get<RenewRequest>(sent.request).items.size(), KeyAnswer::done);
  }
};

TEST_F(Keeping, NothingHeldMeansNothingToDo) {
  EXPECT_TRUE(keeper.empty());
  EXPECT_EQ(keeper.wake(), std::nullopt);
}

TEST_F(Keeping, ALeaseIsRenewedWithItsWholeValueWithinAThirdOfItsTtl) {
  keep(1);
  const Time now = wake();
  EXPECT_GE(now, at(3s));
  EXPECT_LE(now, at(3334ms));
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  const auto& request = std::get<RenewRequest>(sent[0].request);
  EXPECT_EQ(request.ttl, 10s);
  ASSERT_EQ(request.items.size(), 1U);
  EXPECT_EQ(request.items[0].key, "key1");
  EXPECT_EQ(request.items[0].value, "us#n#1");
}

TEST_F(Keeping, TenThousandLeasesRenewInTwentyCallsOfFiveHundred) {
  for (std::uint64_t i = 1; i <= 10'000; ++i) keep(i);
  std::vector<Send> calls;
  std::set<Time> times;
  for (int wakes = 0; keeper.wake().value() <= at(3334ms) && wakes < 1000; ++wakes) {
    const Time now = wake();
    for (auto& call : desk.take<Send>()) {
      times.insert(now);
      calls.push_back(call);
    }
  }
  EXPECT_EQ(calls.size(), 20U);
  std::set<std::string> renewed;
  for (const auto& call : calls) {
    EXPECT_LE(keys(call).size(), batch_size_max);
    for (const auto& key : keys(call)) EXPECT_TRUE(renewed.insert(key).second) << key << " is renewed twice";
  }
  EXPECT_EQ(renewed.size(), 10'000U);
  // Jitter is per batch: the calls do not fall on one another.
  EXPECT_EQ(times.size(), calls.size());
}

TEST_F(Keeping, ALaterLeaseJoinsABatchThatIsRenewedSoonEnoughForIt) {
  keep(1, at(0s));
  keep(2, at(2s));
  const Time now = wake();
  auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(keys(sent[0]), (std::vector<std::string>{"key1", "key2"}));

  // From now on they go together.
  reply(sent[0].id, all_done(sent[0]), now);
  EXPECT_GT(wake(), now + 2999ms);
  sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(keys(sent[0]).size(), 2U);
}

TEST_F(Keeping, LeasesThatCameTogetherGoTogether) {
  for (std::uint64_t i = 1; i <= 3; ++i) keep(i);
  wake();
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(keys(sent[0]).size(), 3U);
}

TEST_F(Keeping, LeasesOfDifferentLengthsAreNotRenewedTogether) {
  keep(1);
  timing = timing_of({.ttl = 12s});
  keep(2);
  wake();
  EXPECT_EQ(desk.take<Send>().size(), 1U);
}

// It is not in that call, so its answer says nothing about the newcomer: no reason for a hasty repeat.
TEST_F(Keeping, ALeaseThatJoinsWhileARenewalIsOnItsWayDisturbsNothing) {
  keep(1);
  const Time sent_at = wake();
  const auto sent = desk.take<Send>();
  keep(2, sent_at - 1ms, sent_at + 1ms);
  reply(sent.at(0).id, all_done(sent.at(0)), sent_at + 2ms);

  EXPECT_EQ(desk.take<Renewed>().size(), 1U);
  EXPECT_GE(keeper.wake().value(), sent_at + 2999ms);
  EXPECT_LE(keeper.wake().value(), sent_at - 1ms + timing.renew);
}

// S9, M15
TEST_F(Keeping, AMissingKeyInABatchLosesOnlyThatLease) {
  for (std::uint64_t i = 1; i <= 4; ++i) keep(i);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  ASSERT_EQ(keys(sent.at(0)).size(), 4U);
  reply(sent[0].id, KeyAnswers{KeyAnswer::done, KeyAnswer::missing, KeyAnswer::foreign, KeyAnswer::done},
        now);

  const Actions told = desk.actions;
  const auto renewed = desk.take<Renewed>();
  desk.actions = told;
  const auto lost = desk.take<Lost>();
  ASSERT_EQ(renewed.size(), 2U);
  EXPECT_EQ(renewed[0].lease, LeaseId{1});
  EXPECT_EQ(renewed[1].lease, LeaseId{4});
  ASSERT_EQ(lost.size(), 2U);
  EXPECT_EQ(lost[0].lease, LeaseId{2});
  EXPECT_EQ(lost[0].reason, LossReason::missing);
  EXPECT_EQ(lost[0].deadline, now);  // the name may already be another's
  EXPECT_EQ(lost[1].lease, LeaseId{3});
  EXPECT_EQ(lost[1].reason, LossReason::taken);

  // The lost are renewed no more.
  wake();
  const auto next = desk.take<Send>();
  EXPECT_EQ(keys(next.at(0)), (std::vector<std::string>{"key1", "key4"}));
}

TEST_F(Keeping, AnAnswerOfTheWrongLengthRenewsNothing) {
  keep(1);
  keep(2);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  reply(sent.at(0).id, KeyAnswers{KeyAnswer::done}, now);
  const auto uncertain = desk.take<Uncertain>();
  ASSERT_EQ(uncertain.size(), keys(sent[0]).size());
  EXPECT_EQ(uncertain[0].failure.code, FailureCode::protocol);
}

// T41, M1
TEST_F(Keeping, ARenewalCountsFromItsSend) {
  keep(1);
  const Time sent_at = wake();
  const auto sent = desk.take<Send>();
  reply(sent.at(0).id, KeyAnswers{KeyAnswer::done}, sent_at + 900ms);
  const auto renewed = desk.take<Renewed>();
  ASSERT_EQ(renewed.size(), 1U);
  EXPECT_EQ(renewed[0].deadline, timing.deadline(sent_at));
}

// S6, M20
TEST_F(Keeping, ARenewalAnsweredAfterTheDeadlineRevivesNothing) {
  keep(1);
  wake();
  const auto sent = desk.take<Send>();
  reply(sent.at(0).id, KeyAnswers{KeyAnswer::done}, timing.deadline(at(0s)));
  const auto lost = desk.take<Lost>();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].reason, LossReason::not_renewed);
  EXPECT_EQ(lost[0].deadline, timing.deadline(at(0s)));
}

// T42, S11, M19
TEST_F(Keeping, SilenceEndsAsALossAGraceBeforeTheDeadline) {
  keep(1);
  std::vector<Lost> lost;
  Time now{};
  for (int wakes = 0; lost.empty() && wakes < 100; ++wakes) {
    now = wake();
    lost = desk.take<Lost>();
  }
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(now, timing.deadline(at(0s)) - timing.grace);
  EXPECT_EQ(lost[0].deadline, timing.deadline(at(0s)));
}

// T19
TEST_F(Keeping, AFailedRenewalIsToldOnceAndRepeatedUntilItSucceeds) {
  keep(1);
  Time now = wake();
  std::size_t told = 0;
  for (int i = 0; i < 4; ++i) {
    const auto sent = desk.take<Send>();
    reply(sent.at(0).id, failed(Applied::no, FailureCode::unreachable), now);
    told += desk.take<Uncertain>().size();
    const Time next = wake();
    EXPECT_GT(next, now);
    EXPECT_LE(next - now, timing.renew / 2);
    now = next;
  }
  EXPECT_EQ(told, 1U);
  const auto sent = desk.take<Send>();
  reply(sent.at(0).id, KeyAnswers{KeyAnswer::done}, now);
  EXPECT_EQ(desk.take<Renewed>().size(), 1U);
  // The next failure is news again.
  wake();
  const auto next = desk.take<Send>();
  reply(next.at(0).id, failed(Applied::perhaps), now + 4s);
  EXPECT_EQ(desk.take<Uncertain>().size(), 1U);
}

TEST_F(Keeping, ASilentRenewalIsDroppedAfterTheNodeTimeout) {
  keep(1);
  const Time sent_at = wake();
  const auto sent = desk.take<Send>();
  EXPECT_EQ(keeper.wake(), sent_at + timing.node_timeout);
  wake();
  const auto dropped = desk.take<Drop>();
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].id, sent.at(0).id);
  EXPECT_TRUE(desk.requests.empty());
}

// T18
TEST_F(Keeping, ALeaseLetGoWhileItsRenewalIsOnItsWayLeavesNothing) {
  const LeaseId lease = keep(1);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  keeper.let_go(lease);
  EXPECT_FALSE(keeper.empty());  // the reply is still to come
  reply(sent.at(0).id, KeyAnswers{KeyAnswer::done}, now);
  EXPECT_TRUE(desk.actions.empty());
  EXPECT_TRUE(keeper.empty());
  EXPECT_EQ(keeper.wake(), std::nullopt);
}

TEST_F(Keeping, TheAnswersForTheOthersCountWhenOneWasLetGoInBetween) {
  keep(1);
  const LeaseId gone = keep(2);
  keep(3);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  ASSERT_EQ(keys(sent.at(0)).size(), 3U);
  keeper.let_go(gone);
  reply(sent[0].id, KeyAnswers{KeyAnswer::done, KeyAnswer::missing, KeyAnswer::done}, now);
  const auto renewed = desk.take<Renewed>();
  ASSERT_EQ(renewed.size(), 2U);
  EXPECT_EQ(renewed[0].lease, LeaseId{1});
  EXPECT_EQ(renewed[1].lease, LeaseId{3});
}

TEST_F(Keeping, LettingGoTwiceIsHarmless) {
  const LeaseId lease = keep(1);
  keeper.let_go(lease);
  keeper.let_go(lease);
  EXPECT_TRUE(keeper.empty());
  EXPECT_EQ(keeper.wake(), std::nullopt);
}

TEST_F(Keeping, ALeaseThatIsLostAsksForNothingMore) {
  const LeaseId lease = keep(1);
  on_timer(at(60s));
  EXPECT_EQ(desk.take<Lost>().size(), 1U);
  EXPECT_EQ(keeper.wake(), std::nullopt);
  on_timer(at(120s));
  EXPECT_TRUE(desk.actions.empty());
  // A newcomer does not join the dead batch.
  keep(2, at(120s));
  EXPECT_LE(keeper.wake().value(), at(120s) + timing.renew);
  keeper.let_go(lease);
  EXPECT_FALSE(keeper.empty());
}

// L9: whatever happened, nothing stays once everything is let go.
TEST_F(Keeping, ARandomHistoryLeavesNothingBehind) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random chance(seed);
    keeper = Keeper(1);
    desk.actions.clear();
    Time now{};
    std::vector<Send> open;
    std::set<LeaseId> alive;
    for (std::uint64_t step = 1; step <= 300; ++step) {
      if (chance.below(4) == 0) alive.insert(keep(step, now));
      if (chance.below(8) == 0 && !alive.empty()) {
        keeper.let_go(*alive.begin());
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
        reply(open[0].id, chance.below(5) == 0 ? Reply(failed(Applied::perhaps)) : Reply(answers), now);
        open.erase(open.begin());
      }
    }
    for (const LeaseId id : alive) keeper.let_go(id);
    on_timer(now + 60s);
    EXPECT_TRUE(keeper.empty());
    EXPECT_EQ(keeper.wake(), std::nullopt);
    EXPECT_TRUE(desk.requests.empty());
  }
}

TEST(KeeperOfSeveralNodes, ARenewalCountsFromTheSendThatAMajorityAnswered) {
  Keeper keeper(3);
  Desk desk;
  const Timing timing = timing_of();
  keeper.keep({LeaseId{1}, "key", "us#n#1", timing, at(0s), {0, 1, 2}}, at(0s), desk.random);
  const Time sent_at = keeper.wake().value();
  keeper.on_timer(sent_at, desk.random, desk.out);
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  keeper.on_reply(sent[0].id, KeyAnswers{KeyAnswer::done}, sent_at, desk.random, desk.out);
  EXPECT_TRUE(desk.take<Renewed>().empty());
  keeper.on_reply(sent[1].id, KeyAnswers{KeyAnswer::missing}, sent_at, desk.random, desk.out);
  EXPECT_TRUE(desk.take<Lost>().empty());  // one node that forgot is not a loss
  keeper.on_reply(sent[2].id, KeyAnswers{KeyAnswer::done}, sent_at, desk.random, desk.out);
  const auto renewed = desk.take<Renewed>();
  ASSERT_EQ(renewed.size(), 1U);
  EXPECT_EQ(renewed[0].deadline, timing.deadline(sent_at));
}

}  // namespace
}  // namespace tenure::core
