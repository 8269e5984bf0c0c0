#include "runtime/engine/waker.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace tenure::runtime {
namespace {

using std::chrono::milliseconds;

TEST(Waker, AWakeUpBeforeTheWaitIsNotMissed) {
  Waker waker;
  waker.wake(Waker::look);
  EXPECT_FALSE(waker.wait());
  waker.wake(Waker::done);
  EXPECT_TRUE(waker.wait());
}

TEST(Waker, ALookIsHeardOnceAndTheEndAlways) {
  Waker waker;
  waker.wake(Waker::look);
  waker.wake(Waker::look);
  EXPECT_FALSE(waker.wait());
  EXPECT_FALSE(waker.wait(milliseconds(1)));  // would be for ever without the limit
  waker.wake(Waker::done);
  waker.wake(Waker::look);
  EXPECT_TRUE(waker.wait());
  EXPECT_TRUE(waker.wait());
}

// The waiter's stack frame, and the waker in it, are gone as soon as it has heard the end.
TEST(Waker, WhoHeardTheEndMayLetTheWakerGoAtOnce) {
  for (int i = 0; i < 5'000; ++i) {
    auto waker = std::make_unique<Waker>();
    std::jthread other([it = waker.get(), i] {
      if (i % 3 == 0) it->wake(Waker::look);
      if (i % 2 == 0) std::this_thread::yield();
      it->wake(Waker::done);
    });
    waker->wait_done();
    waker.reset();
  }
}

}  // namespace
}  // namespace tenure::runtime
