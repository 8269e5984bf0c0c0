// How leadership ends on purpose, and what is left of a term: stop, step down, close, and a release that fails.
#include "unit/election/electing.hpp"

namespace tenure::core {
namespace {

// T58: who never led hears of no end. T47: and leaves no key behind.
TEST_F(Electing, ACandidateThatStopsWasNeverALeader) {
  const ElectionId id = start();
  const Grant grant = std::get<AcquireRequest>(asked<AcquireRequest>().at(0).request).grant;
  stop(id);
  EXPECT_EQ(events(), Told{"stopped"});
  EXPECT_TRUE(elections().empty());
  EXPECT_FALSE(elections().campaigning());
  const auto releases = asked<ReleaseRequest>();  // its request may be granted yet
  ASSERT_EQ(releases.size(), 1U);
  EXPECT_EQ(std::get<ReleaseRequest>(releases[0].request).grant, grant);
  give_back();
  advance(2s);
  EXPECT_TRUE(tenant().idle());
}

TEST_F(Electing, AGrantThatComesAfterTheStopElectsNobody) {
  const ElectionId id = start();
  const Send asked_for = asked<AcquireRequest>().at(0);
  stop(id);
  reply(asked_for, Granted{7});
  EXPECT_EQ(events(), Told{"stopped"});
}

TEST_F(Electing, AFollowerThatStopsLeavesTheQueue) {
  agent->on_listening(0, true, now);
  const ElectionId id = start();
  reply<AcquireRequest>(Held{{"web-3", 5}, 10s});
  advance(0s);
  reply<AcquireRequest>(Held{{"web-3", 5}, 10s, 0});
  stop(id);
  EXPECT_EQ(own_events(), Told{"stopped"});
  EXPECT_TRUE(std::get<ReleaseRequest>(asked<ReleaseRequest>().at(0).request).ticket);
}

// E7, S8: the name is given back once the work has ended, and at once then.
TEST_F(Electing, ALeaderThatStopsLetsItsWorkDrainAndGivesTheNameBack) {
  const ElectionId id = elect();
  events();
  advance(1s);
  stop(id);
  EXPECT_EQ(events(), Told{"ending stopped"});
  EXPECT_EQ(endings.at(0).deadline, at(13'498ms));
  advance(10s);
  EXPECT_TRUE(asked<ReleaseRequest>().empty());
  EXPECT_EQ(events(), Told{});
  drained(id);
  ASSERT_EQ(asked<ReleaseRequest>().size(), 1U);
  EXPECT_EQ(std::get<ReleaseRequest>(asked<ReleaseRequest>()[0].request).grant, term->grant);
  EXPECT_EQ(events(), Told{});
  give_back();
  EXPECT_EQ(events(), (Told{"over", "leader nobody", "stopped"}));
  EXPECT_TRUE(elections().empty());
  EXPECT_TRUE(tenant().idle());
}

TEST_F(Electing, StoppingTwiceIsStoppingOnce) {
  const ElectionId id = elect();
  events();
  stop(id);
  stop(id);
  EXPECT_EQ(events(), Told{"ending stopped"});
  drained(id);
  stop(id);
  give_back();
  EXPECT_EQ(events(), (Told{"over", "leader nobody", "stopped"}));
  stop(id);
  step_down(id);
  drained(id);
  EXPECT_EQ(events(), Told{});
}

TEST_F(Electing, AStopWhileATermEndsForAnotherReasonEndsTheElectionToo) {
  const ElectionId id = elect();
  while (endings.empty()) advance(1ms);
  events();
  stop(id);
  EXPECT_EQ(events(), Told{});
  drained(id);
  give_back();
  EXPECT_EQ(events(), (Told{"over", "leader nobody", "stopped"}));
}

TEST_F(Electing, AStopWhileTheNameIsGivenBackEndsTheElectionToo) {
  const ElectionId id = elect();
  step_down(id);
  drained(id);
  events();
  stop(id);
  EXPECT_EQ(events(), Told{});
  give_back();
  EXPECT_EQ(events(), (Told{"over", "leader nobody", "stopped"}));
}

TEST_F(Electing, AStopBetweenTwoCampaignsIsHeardAtOnce) {
  const ElectionId id = start();
  reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
  events();
  EXPECT_FALSE(elections().campaigning());
  stop(id);
  EXPECT_EQ(events(), Told{"stopped"});
  EXPECT_EQ(elections().wake(), std::nullopt);
}

TEST_F(Electing, ALeaderThatStepsDownLeavesTheNameToOthersForAWhile) {
  const ElectionId id = elect();
  events();
  step_down(id);
  EXPECT_EQ(events(), Told{"ending stepped_down"});
  drained(id);
  give_back();
  EXPECT_EQ(events(), (Told{"over", "leader nobody"}));
  advance(999ms);
  EXPECT_TRUE(asked<AcquireRequest>().empty());
  advance(1ms);
  EXPECT_EQ(asked<AcquireRequest>().size(), 1U);
  win(8);
  EXPECT_EQ(events(), (Told{"elected 8", "leader us 8"}));
}

// The while is a second at most, and less where all is shorter.
TEST_F(Electing, WhoStepsDownFromAShortLeaseComesBackSooner) {
  const ElectionId id = elect(7, election_plan("key", {.lease = 300ms}));
  step_down(id);
  drained(id);
  give_back();
  EXPECT_EQ(elections().wake(), now + 100ms);
}

TEST_F(Electing, InTheMeantimeItSeesWhoLeads) {
  const ElectionId id = elect();
  step_down(id);
  drained(id);
  give_back();
  events();
  redis_shows = led_by("web-3", 8);
  advance(300ms);
  EXPECT_EQ(events(), Told{"leader web-3 8"});
  EXPECT_TRUE(asked<AcquireRequest>().empty());
}

// It stepped down once; a term that it loses later it wants back at once.
TEST_F(Electing, SteppingDownConcernsOneTerm) {
  const ElectionId id = elect();
  step_down(id);
  drained(id);
  give_back();
  advance(1s);
  win(8);
  jump(40s);
  drained(id);
  give_back();
  EXPECT_EQ(asked<AcquireRequest>().size(), 1U);
}

TEST_F(Electing, WhoDoesNotLeadCannotStepDown) {
  const ElectionId id = start();
  step_down(id);
  EXPECT_EQ(events(), Told{});
  EXPECT_TRUE(elections().campaigning());
  win(7);
  stop(id);
  events();
  step_down(id);
  EXPECT_EQ(events(), Told{});
}

// T43: no new campaign until the slow handlers have ended, and that they overran is reported.
TEST_F(Electing, WorkThatOverrunsIsReportedOnceAndDelaysTheNextCampaign) {
  const ElectionId id = elect();
  while (endings.empty()) advance(1ms);
  events();
  advance(at(13'497ms) - now);
  EXPECT_EQ(events(), Told{});
  advance(1ms);
  EXPECT_EQ(events(), (Told{"overran", "leader nobody"}));
  redis_shows = led_by("web-3", 8);
  advance(10min);
  EXPECT_EQ(events(), Told{"leader web-3 8"});  // it sees who leads instead (T51)
  EXPECT_TRUE(asked<AcquireRequest>().empty());
  drained(id);
  EXPECT_TRUE(asked<AcquireRequest>().empty());
  reply<ReleaseRequest>(KeyAnswers{KeyAnswer::foreign});  // another leads since
  EXPECT_EQ(own_events(), Told{"over"});
  EXPECT_EQ(asked<AcquireRequest>().size(), 1U);
}

TEST_F(Electing, EachTermThatOverrunsIsReported) {
  const ElectionId id = start();
  for (Token token = 7; token < 10; ++token) {
    win(token);
    events();
    jump(40s);
    on_timer();
    EXPECT_EQ(own_events(), (Told{"ending not_renewed", "overran"}));
    drained(id);
    give_back();
  }
}

TEST_F(Electing, ATermThatIsLostIsCampaignedForAgainOnceItIsDrained) {
  const ElectionId id = elect();
  while (endings.empty()) advance(1ms);
  EXPECT_TRUE(asked<AcquireRequest>().empty());
  drained(id);
  give_back();
  EXPECT_EQ(own_events(), (Told{"elected 7", "ending not_renewed", "over"}));
  win(8);
  EXPECT_EQ(own_events(), Told{"elected 8"});
  advance(1s);
  EXPECT_EQ(own_events(), Told{});
}

// T52: lost, then won again; what comes late of the first term does not end the second.
TEST_F(Electing, WhatBelongsToAnEarlierTermMeansNothing) {
  const ElectionId id = elect();
  const LeaseId first = term->lease;
  step_down(id);
  drained(id, first);
  give_back();
  advance(1s);
  win(8);
  events();
  drained(id, first);
  EXPECT_EQ(events(), Told{});
  EXPECT_TRUE(asked<ReleaseRequest>().empty());
  // Nor does it while the second ends: its own work has not drained.
  stop(id);
  drained(id, first);
  EXPECT_TRUE(asked<ReleaseRequest>().empty());
  drained(id);
  EXPECT_EQ(asked<ReleaseRequest>().size(), 1U);
}

TEST_F(Electing, ATermOfAnotherElectionMeansNothing) {
  const ElectionId one = elect(7, election_plan("one"));
  const LeaseId its_term = term->lease;
  const ElectionId other = elect(8, election_plan("other"));
  stop(one);
  stop(other);
  drained(other, its_term);
  EXPECT_TRUE(asked<ReleaseRequest>().empty());
}

TEST_F(Electing, WorkThatIsDrainedBeforeItWasToldToEndMeansNothing) {
  const ElectionId id = elect();
  events();
  drained(id);
  EXPECT_EQ(events(), Told{});
  EXPECT_TRUE(asked<ReleaseRequest>().empty());
}

TEST_F(Electing, WorkIsDrainedOnce) {
  const ElectionId id = elect();
  stop(id);
  drained(id);
  drained(id);
  EXPECT_EQ(asked<ReleaseRequest>().size(), 1U);
}

// T47, T15: nobody waits for it, but it is tried on as long as anything can be there.
TEST_F(Electing, AReleaseThatFailsIsTriedOnInTheBackground) {
  const ElectionId id = elect();
  stop(id);
  drained(id);
  events();
  reply<ReleaseRequest>(failed(Applied::perhaps));
  EXPECT_EQ(events(), (Told{"over", "leader nobody", "stopped"}));
  for (int i = 0; i < 3; ++i) {
    const auto releases = asked<ReleaseRequest>();
    ASSERT_EQ(releases.size(), 1U);
    EXPECT_EQ(std::get<ReleaseRequest>(releases[0].request).grant, term->grant);
    reply(releases[0], failed(Applied::no, FailureCode::unreachable));
    advance(1s);
  }
  give_back();
  EXPECT_TRUE(tenant().idle());
  EXPECT_EQ(events(), Told{});
}

TEST_F(Electing, AReleaseThatNoNodeAnswersEndsWithTheLastKeyThatCouldBeThere) {
  const ElectionId id = elect();
  stop(id);
  drained(id);
  advance(1s);
  EXPECT_EQ(own_events(), (Told{"elected 7", "ending stopped", "over", "stopped"}));
  advance(16s);
  EXPECT_FALSE(tenant().idle());
  advance(2s);
  EXPECT_TRUE(tenant().idle());
}

// T45: a later release of the old term asks by the old grant, and frees nothing of the new one.
TEST_F(Electing, TheNextTermHasAGrantOfItsOwn) {
  const ElectionId id = elect();
  const Grant first = term->grant;
  jump(12s);
  drained(id);
  reply<ReleaseRequest>(failed(Applied::perhaps));
  win(8);
  EXPECT_NE(term->grant, first);
  EXPECT_EQ(std::get<ReleaseRequest>(asked<ReleaseRequest>().at(0).request).grant, first);
}

// L12: what closes does not wait for anybody's work.
TEST_F(Electing, ClosingEndsEveryElectionWhateverItDoes) {
  const ElectionId draining = elect(1, election_plan("draining"));
  stop(draining);
  const ElectionId releasing = elect(2, election_plan("releasing"));
  stop(releasing);
  drained(releasing);
  elect(3, election_plan("leading"));
  start(election_plan("resting"));
  reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
  start(election_plan("campaigning"));
  start(observer_plan("observing"));
  events();
  endings.clear();

  close();
  const Told ends = own_events();
  EXPECT_EQ(std::ranges::count(ends, "stopped"), 6);
  EXPECT_EQ(std::ranges::count(ends, "over"), 3);
  EXPECT_EQ(std::ranges::count(ends, "ending closed"), 1);
  EXPECT_EQ(ends.size(), 10U);
  EXPECT_EQ(endings.at(0).deadline, now);
  EXPECT_TRUE(elections().empty());
  EXPECT_FALSE(elections().campaigning());
  EXPECT_EQ(elections().wake(), std::nullopt);

  // The names are given back, as far as nodes can be reached.
  EXPECT_EQ(asked<ReleaseRequest>().size(), 5U);  // one of them was on its way, and one may be granted yet
  give_back();
  advance(2s);
  EXPECT_TRUE(tenant().idle());
  EXPECT_EQ(events(), Told{});
}

TEST_F(Electing, AfterClosingNothingIsLeftToDrain) {
  const ElectionId id = elect();
  close();
  events();
  drained(id);
  EXPECT_EQ(events(), Told{});
  close();
  EXPECT_EQ(events(), Told{});
}

// A Redis that is away, or a wrong address: an election is always wanted.
TEST_F(Electing, ACampaignThatIsRefusedIsTriedAgainAfterPausesThatGrow) {
  start();
  std::vector<Duration> pauses;
  for (int i = 0; i < 8; ++i) {
    reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
    EXPECT_FALSE(elections().campaigning());
    pauses.push_back(elections().wake().value() - now);
    advance(pauses.back());
    EXPECT_TRUE(elections().campaigning());
  }
  Duration longest = 50ms;
  for (const Duration pause : pauses) {
    EXPECT_GE(pause, longest / 2);
    EXPECT_LE(pause, longest);
    longest = std::min<Duration>(longest * 2, 1s);
  }
  EXPECT_GT(pauses.back(), 400ms);
}

TEST_F(Electing, AfterATermThePausesAreShortAgain) {
  const ElectionId id = start();
  for (int i = 0; i < 8; ++i) {
    reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
    advance(1s);
  }
  win(7);
  jump(40s);
  drained(id);
  give_back();
  reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
  EXPECT_LE(*elections().wake() - now, 50ms);
}

TEST_F(Electing, WhatHindersACampaignIsToldOnceForEachReason) {
  start();
  for (int i = 0; i < 3; ++i) {
    reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
    advance(1s);
  }
  EXPECT_EQ(events(), Told{"hindered no_quorum"});
  // Another cap: it cannot take part, and says so.
  for (int i = 0; i < 3; ++i) {
    reply<AcquireRequest>(NotOpen{of_another_cap});
    advance(1s);
  }
  EXPECT_EQ(events(), Told{"hindered not_open"});
  reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
  EXPECT_EQ(events(), Told{"hindered no_quorum"});
}

TEST_F(Electing, AnotherReasonWhyRedisIsAwayIsToldToo) {
  start();
  reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
  advance(1s);
  EXPECT_EQ(events(), Told{"hindered no_quorum"});
  reply<AcquireRequest>(failed(Applied::no, FailureCode::auth));
  advance(1s);
  EXPECT_EQ(events(), Told{"hindered no_quorum"});
  reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
  advance(1s);
  EXPECT_EQ(events(), Told{});
}

TEST_F(Electing, AfterALeaderWasMetTheSameReasonIsToldAgain) {
  start();
  reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
  advance(1s);
  reply<AcquireRequest>(Held{{"web-3", 5}, 10s});
  advance(1s);
  EXPECT_EQ(events(), Told{"hindered no_quorum"});
  for (int i = 0; i < 3; ++i) {
    reply<AcquireRequest>(failed(Applied::no, FailureCode::unreachable));
    advance(1s);
  }
  EXPECT_EQ(events(), Told{"hindered no_quorum"});
}

TEST_F(Electing, AnotherCapOrAQuarantineHindersUntilItIsOver) {
  start();
  reply<AcquireRequest>(NotOpen{in_quarantine("e1")});
  EXPECT_EQ(events(), Told{"hindered not_open"});
  EXPECT_TRUE(elections().campaigning());  // it is waited for
  advance(1s);
  win(7);
  EXPECT_EQ(own_events(), Told{"elected 7"});
}

}  // namespace
}  // namespace tenure::core
