// How long to look before sleeping.
#include "runtime/engine/spin.hpp"

#include <gtest/gtest.h>

namespace tenure::runtime {
namespace {

using namespace std::chrono_literals;

// Out of so many waits of which none ends while somebody looks.
int looks_in_vain(Spin& spin, int waits) {
  int looks = 0;
  for (int i = 0; i < waits; ++i) {
    if (spin.next() == core::Duration::zero()) continue;
    looks += 1;
    spin.on_looked(false);
  }
  return looks;
}

TEST(Spinning, IsNotDoneUnlessItIsAskedFor) {
  Spin spin;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(spin.next(), 0ns);
}

TEST(Spinning, GoesOnWhileAnswersCome) {
  Spin spin(20us);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(spin.next(), 20us) << i;
    spin.on_looked(true);
  }
}

TEST(Spinning, EndsWhereAnswersTakeLonger) {
  Spin spin(20us);
  EXPECT_EQ(looks_in_vain(spin, 60), 4);
}

TEST(Spinning, IsTriedAgainLessAndLessOften) {
  Spin spin(20us);
  looks_in_vain(spin, 4);
  EXPECT_EQ(looks_in_vain(spin, 65), 1) << "after 64 sleeps";
  EXPECT_EQ(looks_in_vain(spin, 128), 0);
  EXPECT_EQ(looks_in_vain(spin, 1), 1) << "after 128 more";
  EXPECT_LE(looks_in_vain(spin, 100'000), 5 + 100'000 / 4'096);
}

TEST(Spinning, GoesOnAgainOnceAnswersComeInTime) {
  Spin spin(20us);
  looks_in_vain(spin, 4);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(spin.next(), 0ns);
  ASSERT_EQ(spin.next(), 20us);
  spin.on_looked(true);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(spin.next(), 20us);
    spin.on_looked(true);
  }
}

TEST(Spinning, SurvivesALateAnswerNowAndThen) {
  Spin spin(20us);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(spin.next(), 20us);
    spin.on_looked(i % 4 != 0);
  }
}

}  // namespace
}  // namespace tenure::runtime
