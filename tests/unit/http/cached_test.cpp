// How long an answer is served, and that what makes it can be ended.
#include "http/cached.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "http/listener.hpp"
#include "http/routes.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/net/wait_for.hpp"
#include "support/wait.hpp"

namespace tenure::http {
namespace {

using namespace std::chrono_literals;

TEST(Cached, WhatIsGivenUpEndsSoonAndIsAskedAnewAfterwards) {
  const auto hung = Listener::open({});  // nobody comes
  ASSERT_TRUE(hung);
  std::atomic<int> begun = 0;
  const auto look = [&] {
    begun += 1;
    const runtime::Descriptor silent(dup(hung->fd()));
    // Far longer than any test may take.
    runtime::at_once(3, [&](std::size_t) {
      EXPECT_FALSE(runtime::wait_for(silent.get(), POLLIN, runtime::boot_now() + 1h));
    });
    return std::string("nothing");
  };
  Cached<std::string> cached(look, {60s});
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(cached.get(), std::nullopt);
    ASSERT_TRUE(test::wait_until([&] { return begun == i; }));
    EXPECT_TRUE(cached.is_working());
    cached.give_up();
    cached.rest();  // comes back at all
    EXPECT_FALSE(cached.is_working() || cached.is_fresh());
  }
}

TEST(Cached, AFailureIsKeptNoLongerThanItMustBe) {
  std::atomic<int> made = 0;
  Cached<Response> cached(
      [&] {
        std::this_thread::sleep_for(20ms);
        made += 1;
        return Response::text(made == 1 ? 503 : 200, "");
      },
      {.at_least = 1ms, .times_its_making = 1'000'000, .at_most = 1h});
  EXPECT_TRUE(test::wait_until([&] {
    cached.get();
    return made == 2;
  }));
  ASSERT_TRUE(test::wait_until([&] { return !cached.is_working(); }));
  EXPECT_TRUE(cached.is_fresh());  // and what is expensive, longer
}

TEST(Cached, AnAnswerThatTookLongIsStaleAtLast) {
  std::atomic<int> made = 0;
  Cached<Response> cached(
      [&] {
        std::this_thread::sleep_for(20ms);
        made += 1;
        return Response::text(200, "");
      },
      {.at_least = 1ms, .times_its_making = 1'000'000, .at_most = 50ms});
  EXPECT_TRUE(test::wait_until([&] {
    cached.get();
    return made == 3;
  }));
}

TEST(Cached, TheLastAnswerMayBeServedWhileTheNextIsMade) {
  std::atomic<int> begun = 0;
  std::atomic<bool> may_end = true;
  const auto work = [&] {
    const int number = ++begun;
    EXPECT_TRUE(test::wait_until([&] { return may_end.load(); }));
    return number;
  };
  Cached<int> waits(work, {.at_least = 50ms});
  Cached<int> serves(work, {.at_least = 50ms, .serves_last = true});
  for (auto* cached : {&waits, &serves}) {
    begun = 0;
    may_end = true;
    EXPECT_EQ(cached->get(), std::nullopt);  // there is none yet
    ASSERT_TRUE(test::wait_until([&] { return begun == 1 && !cached->is_working() && !cached->is_fresh(); }));
    may_end = false;
    const auto last = cached->get();
    EXPECT_EQ(cached->get(), last);
    EXPECT_EQ(last, cached == &serves ? std::optional(1) : std::nullopt);
    may_end = true;
    EXPECT_TRUE(test::wait_until([&] { return cached->get().value_or(0) >= 2; }));
  }
}

TEST(Cached, WhatTookLongOnceIsNotTakenForExpensive) {
  std::atomic<int> made = 0;
  Cached<Response> cached(
      [&] {
        if (made == 1) std::this_thread::sleep_for(300ms);
        made += 1;
        return Response::text(200, "");
      },
      {.at_least = 1ms, .times_its_making = 200, .at_most = 1h});
  EXPECT_TRUE(test::wait_until([&] {
    cached.get();
    return made == 3;
  }));
}

}  // namespace
}  // namespace tenure::http
