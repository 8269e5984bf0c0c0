#include "sim/world/progress.hpp"

#include <gtest/gtest.h>

namespace tenure::sim {

namespace {

using namespace std::chrono_literals;
using Output = Progress::Output;

TEST(SimProgress, ATerminalSeesCountRateAndTimeLeftInOneLineThatIsRewritten) {
  Progress progress(1000, Output::terminal);
  EXPECT_EQ(progress.on_worlds(100, 1s), "\r100 of 1000 worlds, 100 a second, 9 s left\033[K");
  EXPECT_EQ(progress.on_worlds(500, 5s), "\r500 of 1000 worlds, 100 a second, 5 s left\033[K");
  EXPECT_EQ(progress.end(), "\r\033[K");
}

TEST(SimProgress, ATerminalIsNotFloodedWithEveryWorld) {
  Progress progress(1000, Output::terminal);
  EXPECT_TRUE(progress.on_worlds(100, 1000ms).has_value());
  EXPECT_FALSE(progress.on_worlds(101, 1010ms).has_value());
  EXPECT_TRUE(progress.on_worlds(120, 1200ms).has_value());
}

TEST(SimProgress, ALogGetsALineAMinuteAndNothingToErase) {
  Progress progress(100'000, Output::log);
  EXPECT_FALSE(progress.on_worlds(1, 1s).has_value());
  EXPECT_FALSE(progress.on_worlds(11'999, 59'999ms).has_value());
  EXPECT_EQ(progress.on_worlds(12'000, 1min), "12000 of 100000 worlds, 200 a second, 7 min 20 s left\n");
  EXPECT_FALSE(progress.on_worlds(20'000, 119s).has_value());
  EXPECT_EQ(progress.on_worlds(24'000, 2min), "24000 of 100000 worlds, 200 a second, 6 min 20 s left\n");
  EXPECT_EQ(progress.end(), "");
}

TEST(SimProgress, WorldsThatTakeLongerThanASecondEachStillHaveATimeLeft) {
  Progress progress(4, Output::log);
  EXPECT_EQ(progress.on_worlds(1, 90s), "1 of 4 worlds, 0 a second, 4 min 30 s left\n");
}

}  // namespace

}  // namespace tenure::sim
