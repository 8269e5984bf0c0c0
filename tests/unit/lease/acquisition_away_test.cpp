// A wish while Redis is away, or keeps us out: who waits, how long, and what is told.
#include "unit/lease/acquiring.hpp"

namespace tenure::core {
namespace {

const Failure refused{Applied::no, FailureCode::unreachable, "connection refused"};

TEST_F(Acquiring, WhoWouldWaitForEverIsToldAtOnceOfARedisThatHasNeverAnswered) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const auto end = reply(it, refused, at(1ms));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->refusal.code, RefusalCode::no_quorum);
}

// A failover, say: the address was right.
TEST_F(Acquiring, WhoseClientWasAnsweredOnceWaitsForARedisThatIsAway) {
  for (const Reply& answer : {Reply(Granted{7}), Reply(by_web_3), Reply(NotOpen{})}) {
    reached = false;
    Acquisition first = acquisition();
    first.start(at(0s), desk.out);
    ASSERT_TRUE(reply(first, answer, at(1ms)));
    desk.actions.clear();
    Acquisition it = acquisition(std::nullopt);
    it.start(at(1s), desk.out);
    EXPECT_FALSE(reply(it, refused, at(1001ms)));
    EXPECT_EQ(desk.take<Waiting>().size(), 1U);
    EXPECT_FALSE(on_timer(it, it.wake()));
    const auto end = reply(it, Granted{8}, it.wake() - 1s);
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->win);
  }
}

// A long script, or a slot of a Cluster that moves: the address was right.
TEST_F(Acquiring, WhoWouldWaitForEverWaitsForARedisThatIsBusy) {
  nodes(3);
  const Failure busy{Applied::no, FailureCode::busy, "busy"};
  for (const bool majority : {false, true}) {
    Acquisition it = acquisition(std::nullopt);
    it.start(at(0s), desk.out);
    EXPECT_FALSE(reply(it, busy, at(1ms), 0));
    auto end = reply(it, majority ? busy : refused, at(1ms), 1);
    if (!end) end = reply(it, refused, at(1ms), 2);
    EXPECT_EQ(end.has_value(), !majority);
  }
}

TEST_F(Acquiring, WhoAsksAgainByItselfIsToldAtOnce) {
  reached = true;
  Acquisition it = acquisition(std::nullopt, true);
  it.start(at(0s), desk.out);
  EXPECT_TRUE(reply(it, refused, at(1ms)));
}

TEST_F(Acquiring, AWaitWithAnEndIsAlsoForARedisThatHasNeverAnswered) {
  Acquisition it = acquisition(5s);
  it.start(at(0s), desk.out);
  EXPECT_FALSE(reply(it, refused, at(1ms)));
  EXPECT_EQ(desk.take<Waiting>().size(), 1U);
  EXPECT_FALSE(on_timer(it, it.wake()));
  ASSERT_EQ(desk.take<Send>().size(), 1U);
  const auto end = reply(it, Granted{7}, at(2s));
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->win);
}

// Whether it has answered before or not.
TEST_F(Acquiring, AWaitEndsOnTimeWhileRedisIsAwayAndSaysWhatIsInTheWay) {
  for (const bool answered : {false, true}) {
    Acquisition it = acquisition(5s);
    it.start(at(0s), desk.out);
    std::optional<Acquisition::End> end;
    if (answered) {
      EXPECT_FALSE(reply(it, by_web_3, at(1ms)));
      on_timer(it, it.wake());
    }
    Time now = at(1ms);
    while (!end && now < at(10s)) {
      end = reply(it, refused, now);
      desk.actions.clear();
      while (!end && desk.take<Send>().empty()) {
        now = it.wake();
        end = on_timer(it, now);
      }
    }
    ASSERT_TRUE(end);
    EXPECT_EQ(now, at(5s));
    EXPECT_EQ(end->refusal.code, RefusalCode::waited);
    EXPECT_EQ(end->refusal.failures.at(0).failure.detail, "connection refused");
  }
}

TEST_F(Acquiring, NobodyWaitsForARedisThatKeepsUsOut) {
  for (const FailureCode code : {FailureCode::auth, FailureCode::no_permission, FailureCode::tls}) {
    for (const std::optional<Duration> wait_max : {std::optional<Duration>(), std::optional<Duration>(5s)}) {
      Acquisition it = acquisition(wait_max);
      it.start(at(0s), desk.out);
      EXPECT_FALSE(reply(it, by_web_3, at(1ms)));  // also one that has let us in before
      on_timer(it, it.wake());
      const auto end = reply(it, failed(Applied::no, code), at(1s));
      ASSERT_TRUE(end);
      EXPECT_EQ(end->refusal.code, RefusalCode::no_quorum);
    }
  }
}

TEST_F(Acquiring, AMinorityThatKeepsUsOutIsNoReasonToGiveUp) {
  nodes(3);
  Acquisition it = acquisition(5s);
  it.start(at(0s), desk.out);
  EXPECT_FALSE(reply(it, failed(Applied::no, FailureCode::auth), at(1ms), 0));
  EXPECT_FALSE(reply(it, refused, at(1ms), 1));  // that one may come back
  EXPECT_FALSE(on_timer(it, it.wake()));
  EXPECT_FALSE(reply(it, failed(Applied::no, FailureCode::auth), at(1s), 0));
  EXPECT_TRUE(reply(it, failed(Applied::no, FailureCode::auth), at(1s), 1));
}

TEST_F(Acquiring, EveryReasonWhyRedisIsAwayIsToldOnce) {
  Acquisition it = acquisition(std::nullopt);
  it.start(at(0s), desk.out);
  const Failure loading{Applied::no, FailureCode::starting, "loading"};
  const std::vector<std::pair<Reply, bool>> history{{by_web_3, true}, {refused, true},  {loading, true},
                                                    {refused, false}, {loading, false}, {by_web_3, true},
                                                    {refused, true}};
  for (const auto& [answer, news] : history) {
    reply(it, answer, it.wake() - 1s);
    EXPECT_EQ(desk.take<Waiting>().size(), news ? 1U : 0U);
    on_timer(it, it.wake());
  }
}

}  // namespace
}  // namespace tenure::core
