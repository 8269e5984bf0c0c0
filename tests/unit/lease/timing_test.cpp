// T22: a TTL is exact, or refused with a reason.
#include "core/lease/timing.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

std::string refusal(TimingOptions options) {
  const auto timing = make_timing(options);
  return timing ? "accepted" : timing.error();
}

TEST(Timing, TheUsualLengthsFollowFromTheTtl) {
  const Timing timing = make_timing({.ttl = 30s}).value();
  EXPECT_EQ(timing.ttl, 30s);
  EXPECT_EQ(timing.margin, 3002ms);
  EXPECT_EQ(timing.renew, 10s);
  EXPECT_EQ(timing.grace, 5s);
  EXPECT_EQ(timing.node_timeout, 1s);
}

// T9: what clocks may differ by is taken away from the lease, never added.
TEST(Timing, TheDeadlineIsTheSendPlusTtlMinusMargin) {
  const Timing timing = make_timing({.ttl = 10s}).value();
  EXPECT_EQ(timing.deadline(at(5s)), at(5s + 10s - 1002ms));
}

TEST(Timing, EveryWholeMillisecondFromTheLeastToTheCapIsTakenExactly) {
  for (auto ttl = 100ms; ttl <= 60s; ttl += 1ms) {
    const auto timing = make_timing({.ttl = ttl});
    ASSERT_TRUE(timing) << timing.error();
    ASSERT_EQ(timing->ttl, ttl);
  }
}

TEST(Timing, AZeroNegativeOrTinyTtlIsRefusedWithTheLeast) {
  EXPECT_EQ(refusal({.ttl = 0s}), "a TTL of 0s is too short; the least is 100ms");
  EXPECT_EQ(refusal({.ttl = -5s}), "a TTL of -5s is too short; the least is 100ms");
  EXPECT_EQ(refusal({.ttl = 1ms}), "a TTL of 1ms is too short; the least is 100ms");
  EXPECT_EQ(refusal({.ttl = 99ms}), "a TTL of 99ms is too short; the least is 100ms");
}

TEST(Timing, AFractionOfAMillisecondIsRefusedAndNotRounded) {
  EXPECT_EQ(refusal({.ttl = 100ms + 1us}), "a TTL of 100001us is not in whole milliseconds");
  EXPECT_EQ(refusal({.ttl = 1s + 1ns}), "a TTL of 1000000001ns is not in whole milliseconds");
}

TEST(Timing, ATtlOverTheCapIsRefusedWithTheCap) {
  EXPECT_EQ(refusal({.ttl = 61s}), "a TTL of 61s is over the cap of 1m");
  EXPECT_EQ(refusal({.ttl = 61s, .ttl_max = 2min}), "accepted");
  EXPECT_EQ(refusal({.ttl = 30s, .ttl_max = 10s}), "a TTL of 30s is over the cap of 10s");
}

// 2^53 ms do not even fit into nanoseconds; what comes nearest does not pass either.
TEST(Timing, TheLargestNumbersAreRefused) {
  EXPECT_EQ(refusal({.ttl = Duration(std::int64_t{1} << 53)}),
            "a TTL of 9007199254740992ns is over the cap of 1m");
  EXPECT_EQ(refusal({.ttl = std::chrono::floor<std::chrono::hours>(Duration::max())}),
            "a TTL of 2562047h is over the cap of 1m");
}

TEST(Timing, LengthsThatDoNotFitTogetherAreShownWithTheirSum) {
  EXPECT_EQ(refusal({.ttl = 10s, .grace = 5s}),
            "renewal 3333ms + node timeout 1s + grace 5s + margin 1002ms = 10335ms does not fit into the TTL "
            "of 10s");
  EXPECT_EQ(
      refusal({.ttl = 10s, .grace = 4s, .renew = 4s, .node_timeout = 998ms}),
      "renewal 4s + node timeout 998ms + grace 4s + margin 1002ms = 10s does not fit into the TTL of 10s");
  EXPECT_EQ(refusal({.ttl = 10s, .grace = 4s, .renew = 4s, .node_timeout = 997ms}), "accepted");
}

TEST(Timing, ZeroAndNegativeLengthsAreRefused) {
  const std::string rule = "must be above zero";
  EXPECT_NE(refusal({.ttl = 10s, .renew = 0s}).find(rule), std::string::npos);
  EXPECT_NE(refusal({.ttl = 10s, .renew = -1s}).find(rule), std::string::npos);
  EXPECT_NE(refusal({.ttl = 10s, .node_timeout = 0s}).find(rule), std::string::npos);
}

// Nobody can be told to end a millisecond before the deadline, and have it.
TEST(Timing, AGraceThatCannotBeKeptIsRefusedWithTheLeast) {
  EXPECT_EQ(refusal({.ttl = 10s, .grace = -1ms}), "a grace of -1ms is too short; the least is 10ms");
  EXPECT_EQ(refusal({.ttl = 10s, .grace = 0s}), "a grace of 0s is too short; the least is 10ms");
  EXPECT_EQ(refusal({.ttl = 10s, .grace = 1ms}), "a grace of 1ms is too short; the least is 10ms");
  EXPECT_EQ(refusal({.ttl = 10s, .grace = 10ms - 1ns}),
            "a grace of 9999999ns is too short; the least is 10ms");
  EXPECT_EQ(refusal({.ttl = 10s, .grace = 10ms}), "accepted");
}

TEST(Timing, ALengthSoLargeThatTheSumOverflowsDoesNotPass) {
  EXPECT_NE(refusal({.ttl = 10s, .renew = Duration::max()}), "accepted");
  EXPECT_NE(refusal({.ttl = 10s, .grace = Duration::max()}), "accepted");
  EXPECT_NE(refusal({.ttl = 10s, .node_timeout = Duration::max()}), "accepted");
}

}  // namespace
}  // namespace tenure::core
