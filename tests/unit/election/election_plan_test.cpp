// E5: lengths that contradict each other are refused, with the reason.
#include "core/election/election_plan.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

ElectionPlan plan_of(ElectionOptions options) { return plan_election("key", options).value(); }

std::string refusal(ElectionOptions options) {
  const auto plan = plan_election("key", options);
  return plan ? "accepted" : plan.error();
}

TEST(ElectionPlan, TheUsualLengthsAreThoseOfTheSeed) {
  const ElectionPlan plan = plan_of({});
  EXPECT_EQ(plan.key, "key");
  EXPECT_TRUE(plan.candidate);
  EXPECT_EQ(plan.timing.ttl, 15s);
  EXPECT_EQ(plan.timing.renew, 5s);
  EXPECT_EQ(plan.grace, 5s);
  EXPECT_EQ(plan.timing.grace, 2s);  // the drain
  EXPECT_EQ(plan.timing.node_timeout, 1s);
  EXPECT_EQ(plan.timing.margin, 1502ms);
  EXPECT_EQ(plan.look_every, 500ms);
}

TEST(ElectionPlan, TheUsualLeaseFollowsAShorterCap) {
  EXPECT_EQ(plan_of({.ttl_max = 10s}).timing.ttl, 10s);
  EXPECT_EQ(plan_of({.ttl_max = 100ms}).timing.ttl, 100ms);
  EXPECT_EQ(plan_of({.ttl_max = 15s}).timing.ttl, 15s);
  EXPECT_EQ(refusal({.lease = 15s, .ttl_max = 10s}), "the lease: a TTL of 15s is over the cap of 10s");
}

// The unit is the millisecond: a third of a short lease is cut down to one.
TEST(ElectionPlan, AShortLeaseHasThemInProportion) {
  const ElectionPlan plan = plan_of({.lease = 100ms});
  EXPECT_EQ(plan.timing.ttl, 100ms);
  EXPECT_EQ(plan.timing.renew, 33ms);
  EXPECT_EQ(plan.grace, 33ms);
  EXPECT_EQ(plan.timing.grace, 13ms);
  EXPECT_EQ(plan.timing.node_timeout, 6ms);
  EXPECT_EQ(plan.timing.margin, 12ms);
}

// What a leader does after a last renewal that succeeded, in the worst order: E6.
TEST(ElectionPlan, ByDefaultEveryLeaseFromTheLeastToTheCapHasTimeForGraceAndDrain) {
  for (auto lease = 100ms; lease <= 60s; lease += 1ms) {
    const auto plan = plan_election("key", {.lease = lease});
    ASSERT_TRUE(plan) << plan.error();
    const Timing& timing = plan->timing;
    const Time hears_of_it = at(0s) + timing.renew + timing.node_timeout;
    ASSERT_LT(hears_of_it + plan->grace + timing.grace, timing.deadline(at(0s))) << to_text(lease);
    ASSERT_GT(plan->grace, 0s);
    ASSERT_GT(timing.grace, 0s);
  }
}

TEST(ElectionPlan, ANodeIsNeverWaitedForLongerThanASecond) {
  EXPECT_EQ(plan_of({.lease = 15s}).timing.node_timeout, 1s);
  EXPECT_EQ(plan_of({.lease = 60s}).timing.node_timeout, 1s);
  EXPECT_EQ(plan_of({.lease = 3s}).timing.node_timeout, 200ms);
}

// Often enough to be of use, and seldom enough for a Redis with many names.
TEST(ElectionPlan, LooksTenTimesARenewalButNotMoreThanFiftyTimesASecondNorLessThanOnce) {
  EXPECT_EQ(plan_of({.lease = 100ms}).look_every, 20ms);
  EXPECT_EQ(plan_of({.lease = 3s}).look_every, 100ms);
  EXPECT_EQ(plan_of({.lease = 60s}).look_every, 1s);
}

TEST(ElectionPlan, LengthsThatWereChosenAreTakenAsTheyAre) {
  const ElectionPlan plan = plan_of({.lease = 10s, .renew = 2s, .grace = 3s, .drain = 1s});
  EXPECT_EQ(plan.timing.renew, 2s);
  EXPECT_EQ(plan.grace, 3s);
  EXPECT_EQ(plan.timing.grace, 1s);
}

TEST(ElectionPlan, WithoutGraceAFailedRenewalEndsTheTermAtOnce) {
  const ElectionPlan plan = plan_of({.grace = 0s, .drain = 10ms});
  EXPECT_EQ(plan.grace, 0s);
  EXPECT_EQ(plan.timing.grace, 10ms);
}

TEST(ElectionPlan, AGraceOrADrainThatCannotBeKeptIsRefusedWithTheLeast) {
  EXPECT_EQ(refusal({.grace = 1ms}), "a grace of 1ms is too short; the least is 10ms");
  EXPECT_EQ(refusal({.grace = 10ms}), "accepted");
  EXPECT_EQ(refusal({.drain = 0s}), "a drain of 0s is too short; the least is 10ms");
  EXPECT_EQ(refusal({.drain = 9ms}), "a drain of 9ms is too short; the least is 10ms");
  EXPECT_EQ(refusal({.drain = 10ms}), "accepted");
}

// The seed's own example: 30, 10 and 15 seconds leave hardly any time to drain.
TEST(ElectionPlan, LengthsThatDoNotFitTogetherAreShownWithTheirSum) {
  EXPECT_EQ(refusal({.lease = 30s, .renew = 10s, .grace = 15s, .drain = 500ms}), "accepted");
  EXPECT_EQ(
      refusal({.lease = 30s, .renew = 10s, .grace = 15s, .drain = 2s}),
      "renew 10s + node timeout 1s + grace 15s + drain 2s + margin 3002ms = 31002ms does not fit into the "
      "lease of 30s");
  EXPECT_EQ(
      refusal({.lease = 30s, .renew = 10s, .grace = 15s}),
      "renew 10s + node timeout 1s + grace 15s + drain 4s + margin 3002ms = 33002ms does not fit into the "
      "lease of 30s");
}

TEST(ElectionPlan, AMillisecondDecidesWhetherTheyFit) {
  EXPECT_EQ(
      refusal({.lease = 15s, .drain = 2498ms}),
      "renew 5s + node timeout 1s + grace 5s + drain 2498ms + margin 1502ms = 15s does not fit into the "
      "lease of 15s");
  EXPECT_EQ(refusal({.lease = 15s, .drain = 2497ms}), "accepted");
}

TEST(ElectionPlan, EachLengthAloneCanBeTooLong) {
  EXPECT_NE(refusal({.renew = 15s}).find("does not fit"), std::string::npos);
  EXPECT_NE(refusal({.grace = 15s}).find("does not fit"), std::string::npos);
  EXPECT_NE(refusal({.drain = 15s}).find("does not fit"), std::string::npos);
}

TEST(ElectionPlan, ZeroAndNegativeLengthsAreRefused) {
  EXPECT_EQ(refusal({.renew = 0s}), "renew 0s must be above zero");
  EXPECT_EQ(refusal({.renew = -1s}), "renew -1s must be above zero");
  EXPECT_EQ(refusal({.grace = -1ms}), "a grace of -1ms is too short; the least is 10ms");
  EXPECT_EQ(refusal({.drain = -1s}), "a drain of -1s is too short; the least is 10ms");
}

TEST(ElectionPlan, ALeaseThatCannotBeOneIsRefusedWithTheReason) {
  EXPECT_EQ(refusal({.lease = 0s}), "the lease: a TTL of 0s is too short; the least is 100ms");
  EXPECT_EQ(refusal({.lease = -15s}), "the lease: a TTL of -15s is too short; the least is 100ms");
  EXPECT_EQ(refusal({.lease = 99ms}), "the lease: a TTL of 99ms is too short; the least is 100ms");
  EXPECT_EQ(refusal({.lease = 61s}), "the lease: a TTL of 61s is over the cap of 1m");
  EXPECT_EQ(refusal({.lease = 61s, .ttl_max = 2min}), "accepted");
  EXPECT_EQ(refusal({.lease = 1s + 1us}), "the lease: a TTL of 1000001us is not in whole milliseconds");
}

// A sum that overflows must not look as if it fitted.
TEST(ElectionPlan, LengthsSoLargeThatTheirSumOverflowsDoNotPass) {
  EXPECT_NE(refusal({.renew = Duration::max()}), "accepted");
  EXPECT_NE(refusal({.grace = Duration::max()}), "accepted");
  EXPECT_NE(refusal({.drain = Duration::max()}), "accepted");
  EXPECT_NE(refusal({.grace = Duration::max(), .drain = Duration::max()}), "accepted");
  EXPECT_NE(refusal({.renew = Duration::min()}), "accepted");
}

}  // namespace
}  // namespace tenure::core
