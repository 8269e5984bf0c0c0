#include "core/lease/clock_watch.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

constexpr Duration unix_start = 480'000h;

struct Watching : testing::Test {
  ClockWatch watch{2, 60s};

  // Asked at one moment, answered at another; the clock showed so much in between.
  std::optional<Duration> look(Time sent, Time heard, Duration shown, NodeIndex node = 0) {
    watch.on_sent({node}, sent);
    return watch.on_reply({node}, NodeClock{unix_start + shown}, heard);
  }
};

TEST_F(Watching, TheFirstLookIsDueAtOnceAndTheNextAfterASecond) {
  EXPECT_TRUE(watch.due({0}, at(0s)));
  watch.on_sent({0}, at(0s));
  EXPECT_FALSE(watch.due({0}, at(10s)));  // one is on its way
  EXPECT_TRUE(watch.due({1}, at(0s)));    // of another node nothing is known
  watch.on_reply({0}, NodeClock{unix_start}, at(10ms));
  EXPECT_FALSE(watch.due({0}, at(1009ms)));
  EXPECT_TRUE(watch.due({0}, at(1010ms)));
}

TEST_F(Watching, ALookThatFailedIsRepeatedAndSaysNothing) {
  watch.on_sent({0}, at(0s));
  EXPECT_FALSE(watch.on_reply({0}, failed(Applied::perhaps), at(1s)));
  EXPECT_TRUE(watch.due({0}, at(1s)));
  watch.on_sent({0}, at(1s));
  EXPECT_FALSE(watch.on_reply({0}, KeyAnswers{}, at(1s)));
  EXPECT_TRUE(watch.due({0}, at(1s)));
  EXPECT_FALSE(watch.distrusted_until({0}, at(1s)));
}

TEST_F(Watching, AFirstLookIsNoJumpWhateverItShows) {
  EXPECT_FALSE(look(at(0s), at(0s), 5000h));
  EXPECT_FALSE(watch.distrusted_until({0}, at(0s)));
}

TEST_F(Watching, ClocksInStepAreTrusted) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(look(at(i * 1s), at(i * 1s + 5ms), i * 1s + 2ms));
  }
}

// F8: either way, and for as long as a lease that it had could last.
TEST_F(Watching, AJumpIsToldAndTheNodeIsNotTrustedForACapAndATenth) {
  for (const Duration by : {Duration(31s), Duration(-31s)}) {
    watch = ClockWatch(2, 60s);
    look(at(0s), at(0s), 0s);
    look(at(0s), at(0s), 0s, 1);
    EXPECT_EQ(look(at(2s), at(2s), 2s + by), by);
    EXPECT_EQ(watch.distrusted_until({0}, at(2s)), at(68s));
    EXPECT_EQ(watch.distrusted_until({0}, at(68s) - 1ns), at(68s));
    EXPECT_FALSE(watch.distrusted_until({0}, at(68s)));
    EXPECT_FALSE(watch.distrusted_until({1}, at(2s)));
  }
}

TEST_F(Watching, AJumpIsToldOnceAndTheNextCountsFromThere) {
  look(at(0s), at(0s), 0s);
  EXPECT_TRUE(look(at(2s), at(2s), 33s));
  EXPECT_FALSE(look(at(4s), at(4s), 35s));
  EXPECT_EQ(look(at(6s), at(6s), 6s), -31s);
  EXPECT_EQ(watch.distrusted_until({0}, at(6s)), at(72s));
}

// Two clocks that are being slewed differ by a tenth, and a thread may be slow by 100 ms.
TEST_F(Watching, ASlewIsNoJump) {
  look(at(0s), at(0s), 0s);
  EXPECT_FALSE(look(at(10s), at(10s), 11'100ms));
  EXPECT_FALSE(look(at(20s), at(20s), 11'100ms + 8'900ms));
  EXPECT_EQ(look(at(30s), at(30s), 20s + 11'101ms), 1'101ms);
  EXPECT_EQ(look(at(40s), at(40s), 31'101ms + 8'899ms), -1'101ms);
}

// An answer that took long may have been given at its beginning or at its end.
TEST_F(Watching, SlowAnswersAreNoJumps) {
  look(at(0s), at(5s), 0s);                   // shown at the beginning
  EXPECT_FALSE(look(at(6s), at(11s), 11s));   // and at the end: 11 s at most
  EXPECT_FALSE(look(at(12s), at(17s), 12s));  // 1 s at least
  EXPECT_FALSE(look(at(18s), at(18s), 18s));
  EXPECT_EQ(look(at(24s), at(29s), 31s), 2s);
}

// A laptop that slept with its Redis: both clocks went on, so nothing has jumped.
TEST_F(Watching, ALongPauseIsNoJump) {
  look(at(0s), at(0s), 0s);
  EXPECT_FALSE(look(at(8h), at(8h), 8h));
}

// The slots of a Cluster: several servers, several clocks.
struct WatchingParts : Watching {
  void look_at(Part part, std::uint64_t clock, Time now, Duration shown) {
    watch.on_sent({0, part}, now);
    jump = watch.on_reply({0, part}, NodeClock{unix_start + shown, clock}, now);
  }
  std::optional<Duration> jump;
};

TEST_F(WatchingParts, PartsOfOneServerAreAskedForOnce) {
  EXPECT_TRUE(watch.due({0, 1}, at(0s)));
  look_at(1, 7, at(0s), 0s);
  look_at(2, 7, at(0s), 0s);
  EXPECT_FALSE(watch.due({0, 1}, at(500ms)));
  EXPECT_TRUE(watch.due({0, 1}, at(1s)));
  watch.on_sent({0, 1}, at(1s));
  EXPECT_FALSE(watch.due({0, 2}, at(1s)));  // its clock is asked for
  EXPECT_TRUE(watch.due({0, 3}, at(1s)));   // whose nobody knows
}

TEST_F(WatchingParts, ClocksOfDifferentServersAreNoJump) {
  look_at(1, 7, at(0s), 0s);
  look_at(2, 8, at(0s), 20s);
  EXPECT_FALSE(jump);
  look_at(1, 7, at(2s), 2s);
  EXPECT_FALSE(jump);
  look_at(2, 8, at(2s), 22s);
  EXPECT_FALSE(jump);
}

TEST_F(WatchingParts, AJumpConcernsTheServersOwnParts) {
  look_at(1, 7, at(0s), 0s);
  look_at(2, 8, at(0s), 0s);
  look_at(1, 7, at(2s), 33s);
  EXPECT_EQ(jump, Duration(31s));
  EXPECT_TRUE(watch.distrusted_until({0, 1}, at(3s)));
  EXPECT_FALSE(watch.distrusted_until({0, 2}, at(3s)));
}

TEST_F(WatchingParts, APartThatMovesHasTheClockOfItsNewServer) {
  look_at(1, 7, at(0s), 0s);
  watch.on_moved({0, 1});
  EXPECT_TRUE(watch.due({0, 1}, at(100ms)));
  look_at(1, 8, at(100ms), 20s);
  EXPECT_FALSE(jump);
}

}  // namespace
}  // namespace tenure::core
