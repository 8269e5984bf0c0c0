#include "runtime/bell.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace tenure::runtime {
namespace {

using std::chrono::milliseconds;

TEST(Bell, WhatWasRungBeforeTheWaitIsNotMissed) {
  Bell bell;
  bell.ring(Bell::look);
  EXPECT_FALSE(bell.wait());
  bell.ring(Bell::done);
  EXPECT_TRUE(bell.wait());
}

TEST(Bell, ALookIsHeardOnceAndTheEndAlways) {
  Bell bell;
  bell.ring(Bell::look);
  bell.ring(Bell::look);
  EXPECT_FALSE(bell.wait());
  EXPECT_FALSE(bell.wait(milliseconds(1)));  // would be for ever without the limit
  bell.ring(Bell::done);
  bell.ring(Bell::look);
  EXPECT_TRUE(bell.wait());
  EXPECT_TRUE(bell.wait());
}

// The waiter's stack frame, and the bell in it, are gone as soon as it has heard the end.
TEST(Bell, WhoHeardTheEndMayLetTheBellGoAtOnce) {
  for (int i = 0; i < 5'000; ++i) {
    auto bell = std::make_unique<Bell>();
    std::jthread ringer([it = bell.get(), i] {
      if (i % 3 == 0) it->ring(Bell::look);
      if (i % 2 == 0) std::this_thread::yield();
      it->ring(Bell::done);
    });
    bell->wait_done();
    bell.reset();
  }
}

}  // namespace
}  // namespace tenure::runtime
