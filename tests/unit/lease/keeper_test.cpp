// The rhythm of renewals, over one node. Losses: keeper_loss_test.cpp; several nodes: keeper_quorum_test.cpp.
#include <set>

#include "unit/lease/keeping.hpp"

namespace tenure::core {
namespace {

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
  EXPECT_EQ(request.items[0].grant, Grant("us", 1));
  EXPECT_EQ(request.items[0].token, 1U);
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
    EXPECT_LE(keys(call).size(), BatchMax{}.leases);
    for (const auto& key : keys(call)) EXPECT_TRUE(renewed.insert(key).second) << key << " is renewed twice";
  }
  EXPECT_EQ(renewed.size(), 10'000U);
  // Jitter is per batch: the calls do not fall on one another.
  EXPECT_EQ(times.size(), calls.size());
}

TEST_F(Keeping, NoCallNamesMoreLeasesThanTheStoreCanTake) {
  keeper = Keeper("us", 1, BatchMax{2});
  for (std::uint64_t i = 1; i <= 5; ++i) keep(i);
  on_timer(at(3334ms));
  std::vector<std::size_t> sizes;
  for (const auto& call : desk.take<Send>()) sizes.push_back(keys(call).size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 2, 1}));
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

// It may be there or not: it is neither put back nor lost, and asked for again soon.
TEST_F(Keeping, ALeaseThatIsLockedOnTheNodeIsUncertainAndTheOthersOfItsBatchAreNot) {
  keep(1);
  keep(2);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  reply(sent.at(0).id, KeyAnswers{KeyAnswer::locked, KeyAnswer::done}, now);
  const auto uncertain = look<Uncertain>();
  ASSERT_EQ(uncertain.size(), 1U);
  EXPECT_EQ(uncertain[0].failure.code, FailureCode::busy);
  EXPECT_TRUE(look<Send>().empty());
  EXPECT_TRUE(look<Lost>().empty());
  EXPECT_EQ(desk.take<Renewed>().size(), 1U);
  const Time later = wake();
  EXPECT_LT(later, now + timing.renew);
  const auto again = desk.take<Send>();
  ASSERT_EQ(again.size(), 1U);
  ASSERT_TRUE(renews(again[0]));
  reply(again[0].id, all_done(again[0]), later);
  EXPECT_EQ(desk.take<Renewed>().size(), 2U);
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
  EXPECT_EQ(keeper.wake(), std::nullopt);
  keeper.forget(lease);
  EXPECT_TRUE(keeper.empty());
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

// T15: a release may fail and be tried again, so it stays known until it is forgotten.
TEST_F(Keeping, ALeaseThatWasLetGoIsKnownUntilItIsForgotten) {
  const LeaseId lease = keep(1);
  keeper.let_go(lease);
  keeper.let_go(lease);
  EXPECT_EQ(keeper.wake(), std::nullopt);
  const auto known = keeper.find(lease);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->key, "key1");
  EXPECT_EQ(known->grant, Grant("us", 1));
  EXPECT_EQ(known->timing, timing);
  EXPECT_EQ(known->deadline, timing.deadline(at(0s)));
  keeper.forget(lease);
  keeper.forget(lease);
  EXPECT_FALSE(keeper.find(lease));
  EXPECT_TRUE(keeper.empty());
}

}  // namespace
}  // namespace tenure::core
