#include "core/lease/release.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

struct Releasing : testing::Test {
  Desk desk;
  Timing timing = timing_of();  // a node has 1 s to answer
  Grant grant{"us", 0xaa};

  Release release_on(const std::vector<NodeIndex>& nodes, std::optional<Time> try_until = std::nullopt) {
    return {{"key", grant}, nodes, timing, try_until};
  }
};

TEST_F(Releasing, EveryNodeIsAskedToDeleteThisGrantOnly) {
  Release release = release_on({0, 2});
  release.start(at(0s), desk.out);
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].node, 0U);
  EXPECT_EQ(sent[1].node, 2U);
  const auto& request = std::get<ReleaseRequest>(sent[0].request);
  EXPECT_EQ(request.key, "key");
  EXPECT_EQ(request.grant, grant);
  EXPECT_TRUE(request.wake);
}

// L6: a part of a split vote that nobody had is given back without waking anybody; a place in the queue goes,
// too.
TEST_F(Releasing, WhatElseIsToBeDoneGoesToEveryNodeAndIntoEveryAttempt) {
  const Grant ticket("us", 0xbb);
  Release release({"key", grant, ticket, false}, {0, 1}, timing, at(10s));
  release.start(at(0s), desk.out);
  release.on_reply(0, failed(Applied::no), at(1ms), desk.random, desk.out);
  release.on_reply(1, failed(Applied::no), at(1ms), desk.random, desk.out);
  release.on_timer(release.wake(), desk.random, desk.out);
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 4U);
  for (const auto& it : sent) {
    EXPECT_EQ(std::get<ReleaseRequest>(it.request).ticket, ticket);
    EXPECT_FALSE(std::get<ReleaseRequest>(it.request).wake);
  }
}

TEST_F(Releasing, TheAnswerOfOneNodeSaysHowItWent) {
  const std::pair<KeyAnswer, ReleaseOutcome> cases[] = {{KeyAnswer::done, ReleaseOutcome::released},
                                                        {KeyAnswer::missing, ReleaseOutcome::expired},  // T17
                                                        {KeyAnswer::foreign, ReleaseOutcome::taken}};   // T45
  for (const auto& [answer, outcome] : cases) {
    Release release = release_on({0});
    release.start(at(0s), desk.out);
    const auto end = release.on_reply(0, KeyAnswers{answer}, at(1ms), desk.random, desk.out);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->outcome, outcome);
    EXPECT_TRUE(end->failures.empty());
  }
}

// T8
TEST_F(Releasing, ASilentNodeEndsItAfterTheNodeTimeout) {
  Release release = release_on({0});
  release.start(at(0s), desk.out);
  const auto sent = desk.take<Send>();
  EXPECT_EQ(release.wake(), at(1s));
  EXPECT_FALSE(release.on_timer(at(999ms), desk.random, desk.out));
  const auto end = release.on_timer(at(1s), desk.random, desk.out);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, ReleaseOutcome::failed);
  ASSERT_EQ(end->failures.size(), 1U);
  EXPECT_EQ(end->failures[0].failure.code, FailureCode::timed_out);
  const auto dropped = desk.take<Drop>();
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].id, sent.at(0).id);
}

TEST_F(Releasing, AReplyOfTheWrongKindIsAFailure) {
  for (const Reply& reply : {Reply(Granted{7}), Reply(KeyAnswers{}), Reply(KeyAnswers(2, KeyAnswer::done))}) {
    Release release = release_on({0});
    release.start(at(0s), desk.out);
    const auto end = release.on_reply(0, reply, at(1ms), desk.random, desk.out);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->outcome, ReleaseOutcome::failed);
    EXPECT_EQ(end->failures.at(0).failure.code, FailureCode::protocol);
  }
}

TEST_F(Releasing, WithoutAnEndTimeOneAttemptSaysHowItWent) {
  Release release = release_on({0});
  release.start(at(0s), desk.out);
  const auto end = release.on_reply(0, failed(Applied::no), at(1ms), desk.random, desk.out);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, ReleaseOutcome::failed);
}

// T11: the clean-up that nobody waits for.
TEST_F(Releasing, ACleanUpIsRepeatedUntilItIsAnswered) {
  Release release = release_on({0}, at(10s));
  release.start(at(0s), desk.out);
  EXPECT_FALSE(release.on_reply(0, failed(Applied::perhaps), at(1ms), desk.random, desk.out));
  EXPECT_GT(release.wake(), at(1ms));
  EXPECT_LE(release.wake(), at(1001ms));
  desk.actions.clear();
  release.on_timer(release.wake(), desk.random, desk.out);
  EXPECT_EQ(desk.take<Send>().size(), 1U);
  const auto end = release.on_reply(0, KeyAnswers{KeyAnswer::done}, at(2s), desk.random, desk.out);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, ReleaseOutcome::released);
}

TEST_F(Releasing, ACleanUpOfADeadNodeEnds) {
  Release release = release_on({0}, at(10s));
  release.start(at(0s), desk.out);
  std::optional<Release::End> end;
  Time now{};
  for (int wakes = 0; !end && wakes < 100; ++wakes) {
    now = release.wake();
    end = release.on_timer(now, desk.random, desk.out);
  }
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, ReleaseOutcome::failed);
  EXPECT_GE(now, at(10s));
  EXPECT_LE(now, at(12s));
}

TEST_F(Releasing, OnlyTheNodesThatFailedAreAskedAgain) {
  Release release = release_on({0, 1, 2}, at(10s));
  release.start(at(0s), desk.out);
  release.on_reply(0, KeyAnswers{KeyAnswer::done}, at(1ms), desk.random, desk.out);
  release.on_reply(1, failed(Applied::no), at(1ms), desk.random, desk.out);
  EXPECT_FALSE(release.on_reply(2, KeyAnswers{KeyAnswer::missing}, at(1ms), desk.random, desk.out));
  desk.actions.clear();
  release.on_timer(release.wake(), desk.random, desk.out);
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].node, 1U);
}

TEST_F(Releasing, WhatWasReleasedAnywhereIsReleasedAndTheFailuresAreTold) {
  Release release = release_on({0, 1});
  release.start(at(0s), desk.out);
  release.on_reply(0, KeyAnswers{KeyAnswer::done}, at(1ms), desk.random, desk.out);
  const auto end = release.on_timer(at(1s), desk.random, desk.out);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, ReleaseOutcome::released);
  EXPECT_EQ(end->failures.size(), 1U);
}

// T14: one that broke may have been closed long ago. The others are not waited for, nor asked again, and the
// time limit stays (T8).
TEST_F(Releasing, ABrokenConnectionIsTriedOnceMoreAtOnceAndOnlyThere) {
  Release release = release_on({0, 1, 2});
  release.start(at(0s), desk.out);
  desk.actions.clear();
  const Reply closed = failed(Applied::perhaps, FailureCode::closed);
  EXPECT_FALSE(release.on_reply(1, closed, at(500ms), desk.random, desk.out));
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].node, 1U);
  EXPECT_EQ(release.wake(), at(1s));
  EXPECT_FALSE(release.on_reply(0, KeyAnswers{KeyAnswer::done}, at(500ms), desk.random, desk.out));
  EXPECT_FALSE(release.on_reply(2, KeyAnswers{KeyAnswer::done}, at(500ms), desk.random, desk.out));
  const auto end = release.on_reply(1, closed, at(600ms), desk.random, desk.out);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, ReleaseOutcome::released);
  EXPECT_EQ(end->failures.size(), 1U);
  EXPECT_TRUE(desk.take<Send>().empty());
}

// The name is free when a majority has given it back: nobody waits the whole time for a node that hangs.
TEST_F(Releasing, ASilentMinorityIsWaitedForOnlyForAMoment) {
  Release release = release_on({0, 1, 2});
  release.start(at(0s), desk.out);
  const auto sent = desk.take<Send>();
  EXPECT_FALSE(release.on_reply(0, KeyAnswers{KeyAnswer::done}, at(10ms), desk.random, desk.out));
  EXPECT_EQ(release.wake(), at(1s));
  EXPECT_FALSE(release.on_reply(1, KeyAnswers{KeyAnswer::missing}, at(20ms), desk.random, desk.out));
  ASSERT_EQ(release.wake(), at(120ms));
  const auto end = release.on_timer(at(120ms), desk.random, desk.out);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, ReleaseOutcome::released);
  EXPECT_TRUE(end->goes_on);
  // Others may have requests on that connection, and it may only be slow.
  EXPECT_TRUE(desk.take<Drop>().empty());

  // With nobody who waits: its answer is still taken, and where none comes it is asked again.
  EXPECT_EQ(release.wake(), at(1s));
  EXPECT_FALSE(release.on_timer(at(1s), desk.random, desk.out));
  EXPECT_EQ(desk.take<Drop>().at(0).id, sent.at(2).id);
  EXPECT_FALSE(release.on_timer(release.wake(), desk.random, desk.out));
  EXPECT_EQ(desk.take<Send>().at(0).node, 2U);
  const auto last = release.on_reply(2, KeyAnswers{KeyAnswer::done}, at(3s), desk.random, desk.out);
  ASSERT_TRUE(last);
  EXPECT_FALSE(last->goes_on);
}

TEST_F(Releasing, AMajorityThatHadNothingToGiveBackWaitsForWhoMayHave) {
  Release release = release_on({0, 1, 2});
  release.start(at(0s), desk.out);
  release.on_reply(0, KeyAnswers{KeyAnswer::missing}, at(10ms), desk.random, desk.out);
  release.on_reply(1, KeyAnswers{KeyAnswer::missing}, at(20ms), desk.random, desk.out);
  EXPECT_EQ(release.wake(), at(1s));
}

}  // namespace
}  // namespace tenure::core
