// A lease that is renewed because its holder asks for it, and one that may not be held for ever.
#include "unit/lease/keeping.hpp"

namespace tenure::core {
namespace {

using Extending = Keeping;
using ExtendingOnThree = KeepingOnThree;

TEST_F(Extending, RenewsAtOnceAndOnlyThatLease) {
  keep(1);
  keep(2);
  ASSERT_TRUE(keeper.extend(LeaseId{1}, at(1s), desk.out));
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(keys(sent[0]), std::vector<std::string>{"key1"});
  reply(sent[0].id, all_done(sent[0]), at(1'001ms));
  const auto renewed = desk.take<Renewed>();
  ASSERT_EQ(renewed.size(), 1U);
  EXPECT_EQ(renewed[0].deadline, timing.deadline(at(1s)));
}

TEST_F(Extending, ThatGetsNoAnswerIsUncertainAndTriedAgain) {
  keep(1);
  ASSERT_TRUE(keeper.extend(LeaseId{1}, at(1s), desk.out));
  desk.actions.clear();
  on_timer(at(2s));
  EXPECT_EQ(desk.take<Uncertain>().size(), 1U);
  wake();
  EXPECT_EQ(desk.take<Send>().size(), 1U);
}

// Whoever waits for the outcome must hear it, whatever was told before.
TEST_F(Extending, WhatIsUncertainAlreadySaysSoAgain) {
  keep(1);
  const Time due = wake();
  on_timer(due + 1s);
  ASSERT_EQ(desk.take<Uncertain>().size(), 1U);
  const Time again = due + 1'001ms;
  ASSERT_TRUE(keeper.extend(LeaseId{1}, again, desk.out));
  on_timer(again + 1s);
  EXPECT_EQ(desk.take<Uncertain>().size(), 1U);
}

TEST_F(Extending, WhatIsOverOrLostIsRefused) {
  keep(1);
  EXPECT_FALSE(keeper.extend(LeaseId{1}, timing.deadline(at(0s)), desk.out));
  on_timer(timing.deadline(at(0s)) - timing.grace);
  ASSERT_EQ(desk.take<Lost>().size(), 1U);
  EXPECT_FALSE(keeper.extend(LeaseId{1}, at(8s), desk.out));
  EXPECT_FALSE(keeper.extend(LeaseId{2}, at(1s), desk.out));
}

TEST_F(Extending, ARenewalOnItsWayStillCounts) {
  keep(1);
  const Time due = wake();
  const auto renewal = desk.take<Send>();
  ASSERT_TRUE(keeper.extend(LeaseId{1}, due + 1ms, desk.out));
  const auto extension = desk.take<Send>();
  reply(renewal[0].id, all_done(renewal[0]), due + 2ms);
  const Renewed before = desk.take<Renewed>().at(0);
  EXPECT_EQ(before.deadline, timing.deadline(due));
  EXPECT_FALSE(before.extended) << "it was sent before its holder asked";
  reply(extension[0].id, all_done(extension[0]), due + 3ms);
  const Renewed after = desk.take<Renewed>().at(0);
  EXPECT_EQ(after.deadline, timing.deadline(due + 1ms));
  EXPECT_TRUE(after.extended);
  keeper.forget(LeaseId{1});
  EXPECT_TRUE(keeper.empty());
}

TEST_F(Extending, WhatWasExtendedAloneIsRenewedWithTheOthersAgain) {
  for (std::uint64_t i = 1; i <= 3; ++i) keep(i);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(keeper.extend(LeaseId{i}, at(1s), desk.out));
    const auto sent = desk.take<Send>();
    reply(sent.at(0).id, all_done(sent[0]), at(1s));
  }
  desk.actions.clear();
  wake();
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(keys(sent[0]).size(), 3U);
}

TEST_F(Extending, AFailureIsToldOnceUnlessSomebodyAsksAgain) {
  keep(1);
  ASSERT_TRUE(keeper.extend(LeaseId{1}, at(1s), desk.out));
  on_timer(at(2s));
  ASSERT_EQ(desk.take<Uncertain>().size(), 1U);
  const Time again = wake();
  on_timer(again + 1s);
  EXPECT_TRUE(desk.take<Uncertain>().empty());
}

TEST_F(Keeping, WhatMayBeHeldNoLongerIsCertainAgainAfterARenewalThatDidNotMoveIt) {
  const Time ends = at(10s);
  keeper.keep({LeaseId{1}, "key1", 1, 1, timing, at(0s), {0}, ends}, at(0s), desk.random);
  const Time due = wake();
  const auto first = desk.take<Send>();
  reply(first.at(0).id, all_done(first[0]), due);
  ASSERT_EQ(desk.take<Renewed>().at(0).deadline, ends);
  const Time later = wake();
  desk.actions.clear();
  on_timer(later + 1s);
  ASSERT_EQ(desk.take<Uncertain>().size(), 1U);
  const Time again = wake();
  const auto second = desk.take<Send>();
  ASSERT_FALSE(second.empty()) << "before it is lost";
  reply(second[0].id, all_done(second[0]), again);
  EXPECT_EQ(desk.take<Renewed>().at(0).deadline, ends);
}

TEST_F(ExtendingOnThree, TakesAMajority) {
  keep(1);
  ASSERT_TRUE(keeper.extend(LeaseId{1}, at(1s), desk.out));
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  reply(sent[0].id, all_done(sent[0]), at(1'001ms));
  EXPECT_TRUE(desk.take<Renewed>().empty());
  reply(sent[2].id, all_done(sent[2]), at(1'002ms));
  EXPECT_EQ(desk.take<Renewed>().at(0).deadline, timing.deadline(at(1s)));
}

TEST_F(Keeping, WhatMayNotBeHeldForEverIsLostAGraceBeforeItsEndHoweverOftenItIsRenewed) {
  const Time ends = at(12s);
  EXPECT_EQ(keeper.keep({LeaseId{1}, "key1", 1, 1, timing, at(0s), {0}, ends}, at(0s), desk.random),
            timing.deadline(at(0s)));
  Time last{};
  std::vector<Lost> lost;
  for (int i = 0; i < 20 && lost.empty(); ++i) {
    const Time now = wake();
    lost = look<Lost>();
    for (const Send& sent : desk.take<Send>()) reply(sent.id, all_done(sent), now);
    for (const Renewed& renewed : desk.take<Renewed>()) last = renewed.deadline;
    if (!lost.empty()) {
      EXPECT_EQ(now, ends - timing.grace);
    }
  }
  EXPECT_EQ(last, ends);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].reason, LossReason::over);
  EXPECT_EQ(lost[0].deadline, ends);
}

}  // namespace
}  // namespace tenure::core
