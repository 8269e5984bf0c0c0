// How a lease ends: missing, taken, or not renewed in time.
#include <set>

#include "unit/lease/keeping.hpp"

namespace tenure::core {
namespace {

// T4, T33, S9, M15: deleted, or forgotten by a Redis that has lost data? It says so when it is asked to take
// it back, which is at once; until then nothing is lost, and nothing is worth telling.
TEST_F(Keeping, AKeyThatIsNotThereIsPutBackAtOnceAndTheOthersOfItsBatchGoOn) {
  for (std::uint64_t i = 1; i <= 4; ++i) keep(i);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  ASSERT_EQ(keys(sent.at(0)).size(), 4U);
  reply(sent[0].id, KeyAnswers{KeyAnswer::done, KeyAnswer::missing, KeyAnswer::foreign, KeyAnswer::done},
        now);
  EXPECT_TRUE(look<Lost>().empty());
  EXPECT_TRUE(look<Uncertain>().empty());
  ASSERT_EQ(look<Renewed>().size(), 2U);
  EXPECT_EQ(look<Renewed>()[1].lease, LeaseId{4});
  const auto next = desk.take<Send>();
  ASSERT_EQ(next.size(), 1U);
  EXPECT_TRUE(puts_back(next[0]));
  EXPECT_EQ(keys(next[0]), (std::vector<std::string>{"key2", "key3"}));
  EXPECT_EQ(items(next[0])[0].token, 2U);
  EXPECT_EQ(items(next[0])[0].grant, Grant("us", 2));

  // One is taken back, the other is not, and is renewed no more.
  reply(next[0].id, KeyAnswers{KeyAnswer::done, KeyAnswer::foreign}, now + 1ms);
  ASSERT_EQ(look<Lost>().size(), 1U);
  EXPECT_EQ(look<Lost>()[0].lease, LeaseId{3});
  EXPECT_EQ(look<Lost>()[0].reason, LossReason::taken);
  EXPECT_EQ(look<Lost>()[0].deadline, now + 1ms);  // the name may already be another's
  EXPECT_EQ(look<Renewed>().size(), 1U);
  desk.actions.clear();
  EXPECT_GE(wake(), now + 2999ms);
  EXPECT_EQ(keys(desk.take<Send>().at(0)), (std::vector<std::string>{"key1", "key2", "key4"}));
}

// T33
TEST_F(Keeping, AKeyThatMayNotBePutBackIsLostAsMissing) {
  keep(1);
  const Time now = wake();
  reply(desk.take<Send>().at(0).id, KeyAnswers{KeyAnswer::missing}, now);
  reply(desk.take<Send>().at(0).id, KeyAnswers{KeyAnswer::missing}, now + 1ms);
  const auto lost = desk.take<Lost>();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].reason, LossReason::missing);
  EXPECT_EQ(lost[0].deadline, now + 1ms);
}

// T32, T49: it notices no more than a late renewal, and counts from the send that armed it anew.
TEST_F(Keeping, ALeaseThatWasTakenBackIsHeldFromTheSendOfThat) {
  keep(1);
  const Time now = wake();
  reply(desk.take<Send>().at(0).id, KeyAnswers{KeyAnswer::missing}, now + 100ms);
  const auto sent = desk.take<Send>();
  ASSERT_TRUE(puts_back(sent.at(0)));
  reply(sent[0].id, KeyAnswers{KeyAnswer::done}, now + 200ms);
  const auto renewed = desk.take<Renewed>();
  ASSERT_EQ(renewed.size(), 1U);
  EXPECT_EQ(renewed[0].deadline, timing.deadline(now + 100ms));
  EXPECT_GE(keeper.wake().value(), now + 2999ms);
}

// The connection was admitted to an epoch that is over; it is admitted anew by then. At once, but once.
TEST_F(Keeping, ARecordThatHasChangedIsNoRefusal) {
  keep(1);
  Time now = wake();
  reply(desk.take<Send>().at(0).id, KeyAnswers{KeyAnswer::missing}, now);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) {
      const auto sent = desk.take<Send>();
      ASSERT_EQ(sent.size(), 1U);
      EXPECT_TRUE(puts_back(sent[0]));
      reply(sent[0].id, NotOpen{}, now);
    }
    EXPECT_TRUE(look<Lost>().empty());
    EXPECT_EQ(look<Uncertain>().size(), round == 0 ? 1U : 0U);
    EXPECT_TRUE(look<Send>().empty());
    EXPECT_LE(keeper.wake().value() - now, timing.renew / 2);
    desk.actions.clear();
    now = wake();
  }
}

// S5, T40: the process stood still, and the answer "missing" is read before any timer has run.
TEST_F(Keeping, ALeaseThatIsOverIsNotPutBack) {
  keep(1);
  wake();
  const auto sent = desk.take<Send>();
  reply(sent.at(0).id, KeyAnswers{KeyAnswer::missing}, timing.deadline(at(0s)));
  EXPECT_TRUE(look<Send>().empty());
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

// One that is put back and gets no answer is lost like any other, and not before.
TEST_F(Keeping, ALeaseThatIsNeitherTakenBackNorRefusedIsLostAGraceBeforeItsDeadline) {
  keep(1);
  Time now = wake();
  reply(desk.take<Send>().at(0).id, KeyAnswers{KeyAnswer::missing}, now);
  EXPECT_EQ(look<Send>().size(), 1U);
  std::vector<Lost> lost;
  for (int wakes = 0; lost.empty() && wakes < 100; ++wakes) {
    now = wake();
    lost = desk.take<Lost>();
  }
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(now, timing.deadline(at(0s)) - timing.grace);
  EXPECT_EQ(lost[0].reason, LossReason::not_renewed);
}

// A connection breaks, and only the next one shows that the password is another by now.
TEST_F(Keeping, EveryReasonWhyRenewalsFailIsToldOnce) {
  keep(1);
  const std::vector<std::pair<FailureCode, bool>> history{{FailureCode::timed_out, true},
                                                          {FailureCode::auth, true},
                                                          {FailureCode::timed_out, false},
                                                          {FailureCode::auth, false}};
  for (const auto& [code, news] : history) {
    const Time now = wake();
    reply(desk.take<Send>().at(0).id, failed(Applied::no, code), now);
    const auto told = look<Uncertain>();
    ASSERT_EQ(told.size(), news ? 1U : 0U);
    if (news) {
      EXPECT_EQ(told[0].failure.code, code);
    }
  }
}

TEST_F(Keeping, ARenewalThatFailsIsCountedForEachLeaseAlsoWhereItIsNotTold) {
  keep(1);
  keep(2);
  std::size_t told = 0;
  for (int round = 0; round < 3; ++round) {
    const Time now = wake();
    reply(desk.take<Send>().at(0).id, failed(Applied::no, FailureCode::unreachable), now);
    told += look<Uncertain>().size();
  }
  EXPECT_EQ(told, 2U);
  EXPECT_EQ(keeper.failed_renewals(), 6U);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  reply(sent.at(0).id, all_done(sent.at(0)), now);
  EXPECT_EQ(keeper.failed_renewals(), 6U);
}

}  // namespace
}  // namespace tenure::core
