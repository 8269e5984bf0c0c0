#include "core/base/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tenure::core {
namespace {

using namespace std::chrono_literals;

// S14
TEST(Random, TheSameSeedGivesTheSameNumbers) {
  Random one(42);
  Random other(42);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(one.next(), other.next());
  EXPECT_EQ(one.hex16(), other.hex16());
  EXPECT_EQ(one.fraction(), other.fraction());
}

// Everybody who replays a seed relies on them: a change here makes old seeds worthless.
TEST(Random, TheNumbersOfASeedStayWhatTheyAre) {
  Random random(Random::State{1, 2, 3, 4});
  EXPECT_EQ(random.next(), 11520U);  // the reference values of xoshiro256**
  EXPECT_EQ(random.next(), 0U);
  EXPECT_EQ(random.next(), 1509978240U);
  EXPECT_EQ(random.next(), 1215971899390074240U);
}

TEST(Random, NeighbouringSeedsAreUnrelated) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) firsts.insert(Random(seed).next());
  EXPECT_EQ(firsts.size(), 10'000U);
}

TEST(Random, NumbersBelowABoundReachAllOfThemAndNoOther) {
  Random random(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, DurationsStayWithinBothEnds) {
  Random random(1);
  std::set<Duration> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.between(-1ns, 2ns));
  EXPECT_EQ(seen, (std::set<Duration>{-1ns, 0ns, 1ns, 2ns}));
  EXPECT_EQ(random.between(5s, 5s), 5s);
}

TEST(Random, FractionsAreBelowOneAndEven) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double fraction = random.fraction();
    ASSERT_GE(fraction, 0.0);
    ASSERT_LT(fraction, 1.0);
    sum += fraction;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

TEST(Random, NoncesAreSixteenHexDigitsAndDoNotRepeat) {
  Random random(1);
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) {
    const std::string nonce = random.hex16();
    ASSERT_EQ(nonce.size(), 16U);
    ASSERT_EQ(nonce.find_first_not_of("0123456789abcdef"), std::string::npos) << nonce;
    ASSERT_TRUE(seen.insert(nonce).second);
  }
}

TEST(RandomDeathTest, ARangeThatIsEmptyStopsTheProgram) {
  EXPECT_DEATH(Random(1).below(0), "not empty");
  EXPECT_DEATH(Random(1).between(2s, 1s), "in order");
  EXPECT_DEATH(Random(Random::State{}), "not all zero");
}

}  // namespace
}  // namespace tenure::core
