// L4: a number of tries, as the guide has it, instead of a length of time.
#include "unit/lease/acquiring.hpp"

namespace tenure::core {
namespace {

struct Retrying : Acquiring {
  Acquisition retrying(unsigned retries, std::optional<Duration> wait_max = std::nullopt) {
    return {{AcquireId{1}, owner, subscribed, clocks, proposer, terms, reached},
            {.key = "key", .timing = timing, .wait_max = wait_max, .retries = retries},
            desk.random};
  }
};

TEST_F(Retrying, TriesOnceAndSoManyTimesMoreWithADelayThatVaries) {
  listen();
  Acquisition it = retrying(3);
  Time now = at(0s);
  std::set<Duration> pauses;
  it.start(now, desk.out);
  for (int i = 0; i < 3; ++i) {
    ASSERT_FALSE(reply(it, by_web_3, now));
    EXPECT_FALSE(it.ticket()) << "whoever counts tries stands in no queue";
    const Duration pause = it.wake() - now;
    EXPECT_GE(pause, 100ms);
    EXPECT_LE(pause, 300ms);
    pauses.insert(pause);
    now = it.wake();
    ASSERT_FALSE(on_timer(it, now));
  }
  EXPECT_EQ(pauses.size(), 3U);
  const auto end = reply(it, by_web_3, now);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->refusal.code, RefusalCode::held);
  EXPECT_EQ(desk.take<Send>().size(), 4U);
}

TEST_F(Retrying, NoRetryIsOneTry) {  // T25
  Acquisition it = retrying(0);
  it.start(at(0s), desk.out);
  ASSERT_TRUE(reply(it, by_web_3, at(0s)));
}

TEST_F(Retrying, NodesThatDoNotAnswerAreTriedAgainToo) {
  Acquisition it = retrying(1);
  it.start(at(0s), desk.out);
  const Failure refused{Applied::no, FailureCode::unreachable, "connection refused"};
  ASSERT_FALSE(reply(it, refused, at(0s)));
  EXPECT_GE(it.wake(), at(100ms));
  ASSERT_FALSE(on_timer(it, it.wake()));
  const auto end = reply(it, refused, at(1s));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->refusal.code, RefusalCode::no_quorum);
}

TEST_F(Retrying, TheWaitMayEndBefore) {
  Acquisition it = retrying(1'000'000, 50ms);
  it.start(at(0s), desk.out);
  ASSERT_FALSE(reply(it, by_web_3, at(0s)));
  EXPECT_EQ(it.wake(), at(50ms));
  const auto end = on_timer(it, at(50ms));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->refusal.code, RefusalCode::waited);
}

}  // namespace
}  // namespace tenure::core
