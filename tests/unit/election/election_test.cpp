// How leadership is won and kept, and how it ends when renewals fail. Its other ends: election_end_test.cpp; who is
// seen to lead: election_leader_test.cpp.
#include "unit/election/electing.hpp"

namespace tenure::core {
namespace {

TEST_F(Electing, ACandidateAsksForTheNameAtOnceAndSaysNothing) {
  start();
  const auto asked_for = asked<AcquireRequest>();
  ASSERT_EQ(asked_for.size(), 1U);
  const auto& request = std::get<AcquireRequest>(asked_for[0].request);
  EXPECT_EQ(request.key, "key");
  EXPECT_EQ(request.ttl, 15s);
  EXPECT_EQ(events(), Told{});
  EXPECT_TRUE(elections().campaigning());
}

// E2
TEST_F(Electing, WhoeverIsGrantedTheNameLeads) {
  start();
  now = at(100ms);
  win(7);
  EXPECT_EQ(events(), (Told{"elected 7", "leader us 7"}));
  EXPECT_EQ(term->token, 7U);
  EXPECT_EQ(term->deadline, at(13'498ms));
  EXPECT_FALSE(elections().campaigning());
}

// A follower stands in the queue as long as it takes.
TEST_F(Electing, WhoeverFindsItHeldWaitsWithoutAWord) {
  start();
  while (now < at(60s)) {
    for (const Send& it : asked<AcquireRequest>()) reply(it, Held{{"web-3", 5}, 10s});
    advance(10ms);
  }
  EXPECT_EQ(events(), Told{});
  EXPECT_TRUE(elections().campaigning());
  while (asked<AcquireRequest>().empty()) advance(10ms);
  win(8);
  EXPECT_EQ(own_events(), Told{"elected 8"});
}

TEST_F(Electing, ALeaderThatIsRenewedInTimeHearsNothing) {
  elect();
  events();
  for (int i = 0; i < 100; ++i) {
    advance(1s);
    if (!asked<RenewRequest>().empty()) renew();
  }
  EXPECT_EQ(events(), Told{});
  EXPECT_EQ(elections().wake(), std::nullopt);
}

// A leader looks at nothing: it knows who leads.
TEST_F(Electing, ALeaderDoesNotLook) {
  redis_shows.reset();
  elect();
  advance(4s);
  EXPECT_TRUE(asked<LookRequest>().empty());
}

// E6, T42: the renewals hang. It tries on through the grace, and tells its work to end with time to drain.
TEST_F(Electing, RenewalsThatFailAreTriedThroughTheGraceAndThenTheTermEnds) {
  elect();
  events();
  advance(4s);
  while (asked<RenewRequest>().empty()) advance(1ms);
  const Time asked_at = now;
  advance(1s);  // no answer in the node's time
  const Time uncertain = now;
  EXPECT_EQ(uncertain, asked_at + 1s);
  advance(4999ms);
  EXPECT_EQ(events(), Told{});
  advance(1ms);
  EXPECT_EQ(events(), Told{"ending not_renewed"});
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_EQ(endings[0].deadline, at(13'498ms));
  EXPECT_GE(endings[0].deadline - now, 2s);
  EXPECT_EQ(endings[0].lease, term->lease);
}

TEST_F(Electing, ItIsTriedAgainAndAgainDuringTheGrace) {
  elect();
  int tries = 0;
  while (endings.empty()) {
    advance(1ms);
    for (const Send& it : asked<RenewRequest>()) {
      reply(it, failed(Applied::no, FailureCode::unreachable));
      tries += 1;
    }
  }
  EXPECT_GT(tries, 3);
}

TEST_F(Electing, ARenewalThatSucceedsWithinTheGraceEndsIt) {
  elect();
  events();
  while (asked<RenewRequest>().empty()) advance(1ms);
  reply<RenewRequest>(failed(Applied::no, FailureCode::unreachable));
  EXPECT_EQ(elections().wake(), now + 5s);
  while (asked<RenewRequest>().empty()) advance(1ms);
  renew();
  EXPECT_EQ(elections().wake(), std::nullopt);
  advance(4s);
  EXPECT_EQ(events(), Told{});
}

TEST_F(Electing, TheNextFailureHasTheWholeGraceAgain) {
  elect();
  for (int i = 0; i < 2; ++i) {
    while (asked<RenewRequest>().empty()) advance(1ms);
    reply<RenewRequest>(failed(Applied::no, FailureCode::unreachable));
    EXPECT_EQ(elections().wake(), now + 5s);
    while (asked<RenewRequest>().empty()) advance(1ms);
    renew();
  }
  EXPECT_TRUE(endings.empty());
}

// One failure more does not begin it anew.
TEST_F(Electing, TheGraceCountsFromTheFirstFailure) {
  elect();
  while (asked<RenewRequest>().empty()) advance(1ms);
  reply<RenewRequest>(failed(Applied::no, FailureCode::unreachable));
  const Time ends = now + 5s;
  for (int i = 0; i < 3; ++i) {
    while (asked<RenewRequest>().empty()) advance(1ms);
    reply<RenewRequest>(failed(Applied::no, FailureCode::unreachable));
    EXPECT_EQ(elections().wake(), ends);
  }
}

// Nor does one that its holder asked for.
TEST_F(Electing, AnExtensionThatFailsDoesNotBeginTheGraceAnew) {
  elect();
  while (asked<RenewRequest>().empty()) advance(1ms);
  reply<RenewRequest>(failed(Applied::no, FailureCode::unreachable));
  const Time ends = now + 5s;
  now += 10ms;
  ASSERT_TRUE(agent->extend(term->lease, now));
  settle();
  reply<RenewRequest>(failed(Applied::no, FailureCode::unreachable));
  EXPECT_EQ(elections().wake(), ends);
}

// T41: counted from the send of the last renewal that succeeded.
TEST_F(Electing, TheDeadlineOfATermMovesOnWithEveryRenewal) {
  const ElectionId id = elect();
  while (asked<RenewRequest>().empty()) advance(1ms);
  const Time sent = now;
  advance(500ms);
  renew();
  stop(id);
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_GT(endings[0].deadline, at(13'498ms));
  EXPECT_LE(endings[0].deadline, sent + 13'498ms);
  EXPECT_GT(endings[0].deadline, sent + 13'490ms);
}

TEST_F(Electing, WithoutGraceTheFirstFailureEndsTheTerm) {
  elect(7, election_plan("key", {.grace = 0s}));
  events();
  while (asked<RenewRequest>().empty()) advance(1ms);
  reply<RenewRequest>(failed(Applied::no, FailureCode::unreachable));
  advance(0s);
  EXPECT_EQ(events(), Told{"ending not_renewed"});
}

// T40: the process stood still. The first thing it hears is that the term ends.
TEST_F(Electing, ALeaderThatStoodStillPastItsDeadlineIsToldAtOnceAndHasOverrun) {
  elect();
  events();
  jump(40s);
  EXPECT_EQ(events(), Told{"ending not_renewed"});
  EXPECT_EQ(endings.at(0).deadline, at(13'498ms));
  EXPECT_EQ(elections().wake(), at(13'498ms));
  on_timer();
  EXPECT_EQ(events(), (Told{"overran", "leader nobody"}));
}

// Stood still into the time to drain: still leading, and told to end.
TEST_F(Electing, ALeaderThatStoodStillInsideTheDrainEndsInTime) {
  elect();
  events();
  jump(11'498ms);
  EXPECT_EQ(events(), Told{"ending not_renewed"});
  advance(1999ms);
  EXPECT_EQ(events(), Told{});
  advance(1ms);
  EXPECT_EQ(events(), (Told{"overran", "leader nobody"}));
}

// T33: deleted by hand, and taken by another before it could be put back.
TEST_F(Electing, ANameThatAnotherHasTakenEndsTheTermNow) {
  elect();
  events();
  while (asked<RenewRequest>().empty()) advance(1ms);
  reply<RenewRequest>(KeyAnswers{KeyAnswer::foreign});
  EXPECT_EQ(events(), Told{});
  reply<ReassertRequest>(KeyAnswers{KeyAnswer::foreign});
  EXPECT_EQ(events(), Told{"ending taken"});
  EXPECT_EQ(endings.at(0).deadline, now);
  advance(0s);
  EXPECT_EQ(events(), (Told{"overran", "leader nobody"}));  // another may lead from now on
}

// From then on the deadline stands, whatever the work does.
TEST_F(Electing, ATermThatEndsIsRenewedNoMore) {
  elect();
  while (endings.empty()) advance(1ms);
  open.clear();
  advance(2s);
  EXPECT_TRUE(asked<RenewRequest>().empty());
  EXPECT_TRUE(asked<ReassertRequest>().empty());
}

// A renewal was on its way: its answer changes nothing any more (S6).
TEST_F(Electing, ARenewalThatIsAnsweredAfterTheTermHasEndedDoesNotCount) {
  const ElectionId id = elect();
  while (asked<RenewRequest>().empty()) advance(1ms);
  stop(id);
  events();
  renew();
  EXPECT_EQ(elections().wake(), at(13'498ms));
  advance(at(13'498ms) - now);
  EXPECT_EQ(events(), (Told{"overran", "leader nobody"}));
}

// The same when it was answered in the same breath: the deadline that was told is the one that counts.
TEST_F(Electing, ARenewalThatIsHeardJustBeforeTheEndCounts) {
  const ElectionId id = elect();
  while (asked<RenewRequest>().empty()) advance(1ms);
  agent->on_reply(asked<RenewRequest>().at(0).id, KeyAnswers{KeyAnswer::done}, now);
  agent->stop(id, now);
  settle();
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_GT(endings[0].deadline, at(13'498ms)) << "what the first grant gave";
  EXPECT_EQ(elections().wake(), endings[0].deadline);
}

// T8, T19: over three nodes one may be silent for ever.
TEST_F(Electing, OneSilentNodeOfThreeChangesNothing) {
  begin(3);
  start();
  const auto first = asked<AcquireRequest>();
  ASSERT_EQ(first.size(), 3U);
  reply(first[0], Granted{7});
  reply(first[1], Granted{8});
  const auto confirms = asked<ConfirmRequest>();
  for (const Send& it : confirms) {
    if (it.node != 2) reply(it, KeyAnswers{KeyAnswer::done});
  }
  EXPECT_EQ(events(), (Told{"elected 8", "leader us 8"}));
  for (int i = 0; i < 60'000; i += 10) {
    advance(10ms);
    for (const Send& it : asked<RenewRequest>()) {
      if (it.node != 2) reply(it, KeyAnswers{KeyAnswer::done});
    }
  }
  EXPECT_EQ(events(), Told{});
}

TEST_F(Electing, TwoSilentNodesOfThreeEndTheTermInTime) {
  begin(3);
  start();
  for (const Send& it : asked<AcquireRequest>()) reply(it, Granted{7});
  for (const Send& it : asked<ConfirmRequest>()) reply(it, KeyAnswers{KeyAnswer::done});
  EXPECT_EQ(events(), (Told{"elected 7", "leader us 7"}));
  while (endings.empty()) {
    advance(1ms);
    for (const Send& it : asked<RenewRequest>()) {
      if (it.node == 0) reply(it, KeyAnswers{KeyAnswer::done});
    }
  }
  EXPECT_EQ(endings[0].reason, LossReason::not_renewed);
  EXPECT_EQ(endings[0].deadline, at(13'498ms));
  EXPECT_GE(endings[0].deadline - now, 2s);
}

// What is not asked for on behalf of an election goes its own way.
TEST_F(Electing, ALockBesideAnElectionIsLeftAlone) {
  start();
  const AcquireId lock = agent->acquire({.key = "lock", .timing = timing_of()}, now);
  settle();
  for (const Send& it : asked<AcquireRequest>()) {
    if (std::get<AcquireRequest>(it.request).key != "lock") continue;
    agent->on_reply(it.id, Granted{9}, now);
  }
  const Outcome outcome = agent->take();
  ASSERT_EQ(outcome.notices.size(), 1U);
  EXPECT_EQ(std::get<Acquired>(std::get<CallNotice>(outcome.notices[0])).acquire, lock);
}

}  // namespace
}  // namespace tenure::core
