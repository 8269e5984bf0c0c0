#include "kubernetes/observations.hpp"

#include <gtest/gtest.h>

namespace tenure::kubernetes {
namespace {

using namespace std::chrono_literals;

Lease held_for(std::chrono::seconds length) {
  Lease lease;
  lease.version = "7";
  lease.holder = "web-1";
  lease.length = length;
  return lease;
}

// Whoever forgot it would wait for its whole length once more, and never have it while so much else is seen.
TEST(Observations, ALongLeaseIsNotForgottenBeforeItIsOver) {
  Observations seen;
  const core::Time begin(1000s);
  seen.see("long", held_for(1h), begin);
  seen.see("short", held_for(15s), begin);
  for (int minute = 0; minute < 60; ++minute) {
    for (int i = 0; i < 500; ++i)
      seen.see(std::to_string(minute) + "-" + std::to_string(i), held_for(15s), begin + minute * 1min);
  }
  ASSERT_NE(seen.find("long"), nullptr);
  EXPECT_EQ(seen.find("long")->since, begin);
  EXPECT_TRUE(seen.find("long")->over(begin + 1h));
  EXPECT_EQ(seen.find("short"), nullptr) << "what is over for long is";
}

}  // namespace
}  // namespace tenure::kubernetes
