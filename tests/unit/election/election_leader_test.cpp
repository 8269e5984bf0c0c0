// Who is seen to lead: by candidates, by leaders themselves and by those who only observe (E2, E3).
#include "unit/election/electing.hpp"

namespace tenure::core {
namespace {

TEST_F(Electing, AFollowerSeesWhoLeadsAndThatItChanges) {
  redis_shows = led_by("web-3", 5);
  start();
  advance(0s);
  EXPECT_EQ(events(), Told{"leader web-3 5"});
  advance(600ms);
  EXPECT_EQ(events(), Told{});
  redis_shows = led_by("web-4", 6);
  advance(399ms);
  EXPECT_EQ(changes.size(), 1U);  // it looks every half second
  advance(1ms);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[1].now, (Holder{"web-4", 6}));
}

TEST_F(Electing, AChangeSaysWhoLedBefore) {
  redis_shows = led_by("web-3", 5);
  start(observer_plan());
  advance(0s);
  redis_shows = led_by("web-4", 6);
  advance(1s);
  redis_shows = by_nobody;
  advance(1s);
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].before, std::nullopt);
  EXPECT_EQ(changes[1].before, (Holder{"web-3", 5}));
  EXPECT_EQ(changes[2].before, (Holder{"web-4", 6}));
  EXPECT_EQ(changes[2].now, std::nullopt);
}

TEST_F(Electing, WhoeverIsElectedAfterAnotherSeesItselfNext) {
  redis_shows = led_by("web-3", 5);
  start();
  advance(0s);
  win(7);
  EXPECT_EQ(events(), (Told{"leader web-3 5", "elected 7", "leader us 7"}));
}

// T51: the time without a leader is told, however short.
TEST_F(Electing, AfterATermNobodyLeadsUntilAnotherIsSeen) {
  const ElectionId id = elect();
  while (endings.empty()) advance(1ms);
  drained(id);
  events();
  redis_shows = led_by("web-3", 8);
  give_back();
  advance(0s);
  EXPECT_EQ(events(), (Told{"over", "leader nobody", "leader web-3 8"}));
}

// On_elected comes first, and a namesake is still another.
TEST_F(Electing, ALookThatIsQuickerThanTheAnswerMakesNobodyALeader) {
  start();
  const auto sent = asked<AcquireRequest>();
  redis_shows = KeyState{Holder{"us", 7}, std::get<AcquireRequest>(sent.at(0).request).grant, 10s};
  advance(100ms);
  EXPECT_EQ(events(), Told{});
  reply(sent.at(0), Granted{7});
  EXPECT_EQ(events(), (Told{"elected 7", "leader us 7"}));
}

TEST_F(Electing, ANamesakeLeadsUnderItsOwnTerm) {  // T44, T46
  redis_shows = led_by("us", 5);
  start();
  advance(100ms);
  EXPECT_EQ(events(), Told{"leader us 5"});
}

// T51, T58: they ask for nothing, lead nothing, and see it all.
TEST_F(Electing, AnObserverOnlyLooks) {
  const ElectionId id = start(observer_plan());
  advance(1s);
  EXPECT_EQ(events(), Told{"leader nobody"});  // said once, so that it is known
  redis_shows = led_by("web-3", 5);
  advance(1s);
  EXPECT_EQ(events(), Told{"leader web-3 5"});
  redis_shows = by_nobody;
  advance(1s);
  EXPECT_EQ(events(), Told{"leader nobody"});
  redis_shows = led_by("web-3", 6);
  advance(1s);
  EXPECT_EQ(events(), Told{"leader web-3 6"});
  EXPECT_FALSE(elections().campaigning());
  step_down(id);
  stop(id);
  EXPECT_EQ(events(), Told{"stopped"});
  EXPECT_TRUE(open.empty());
  EXPECT_TRUE(tenant().idle());
}

// T51: a leader that died, and one that gave back to whoever waits.
TEST_F(Electing, ANameThatIsKeptForAWaiterIsLedByNobody) {
  redis_shows = led_by("web-3", 5);
  start(observer_plan());
  advance(0s);
  redis_shows = led_by("web-4", 0, 250ms);
  advance(600ms);
  EXPECT_EQ(events(), (Told{"leader web-3 5", "leader nobody"}));
}

// Cut off from Redis, the last leader is believed in only as long as its lease can last.
TEST_F(Electing, AnObserverThatSeesNothingSaysSoWhenTheLeaseHasRunOut) {
  redis_shows = led_by("web-3", 5, 5s);
  start(observer_plan());
  advance(0s);
  redis_shows.reset();
  advance(5s);
  EXPECT_EQ(events(), (Told{"leader web-3 5", "hindered no_quorum"}));
  advance(2s);
  EXPECT_EQ(events(), Told{"leader nobody"});
}

TEST_F(Electing, AnObserverSeesTheLeaderOfItsOwnProcess) {
  elect();
  events();
  redis_shows = led_by("us", 7);
  start(observer_plan());
  advance(0s);
  EXPECT_EQ(events(), Told{"leader us 7"});
}

// T52: its release failed, so that Redis shows the old term for a while. It does not lead, and is not told so.
TEST_F(Electing, WhatIsLeftOfAnEndedTermIsNoLeader) {
  const ElectionId id = elect();
  jump(12s);
  drained(id);
  events();
  redis_shows = led_by("us", 7);
  reply<ReleaseRequest>(failed(Applied::perhaps));
  advance(3s);
  Told leaders = events();
  std::erase_if(leaders, [](const std::string& it) { return !it.starts_with("leader "); });
  EXPECT_EQ(leaders, Told{"leader nobody"});
}

// B5
TEST_F(Electing, ManyElectionsLookTogetherAndAreToldApart) {
  redis_shows.reset();
  for (int i = 0; i < 20; ++i) start(observer_plan("key" + std::to_string(i)));
  advance(0s);
  const auto looks = asked<LookRequest>();
  ASSERT_EQ(looks.size(), 1U);
  KeyStates states;
  for (int i = 0; i < 20; ++i) states.push_back(led_by("web-" + std::to_string(i), 5));
  reply(looks[0], states);
  Told expected;
  for (int i = 0; i < 20; ++i) expected.push_back("leader web-" + std::to_string(i) + " 5");
  EXPECT_EQ(events(), expected);
}

TEST_F(Electing, EachElectionGoesItsOwnWay) {
  const ElectionId one = start(election_plan("one"));
  const ElectionId two = start(election_plan("two"));
  const ElectionId three = start(election_plan("three"));
  EXPECT_NE(one, two);
  auto requests = asked<AcquireRequest>();
  ASSERT_EQ(requests.size(), 3U);
  reply(requests[1], Granted{7});
  EXPECT_EQ(events(), (Told{"elected 7", "leader us 7"}));
  EXPECT_TRUE(elections().campaigning());
  reply(requests[0], Granted{8});
  stop(two);
  EXPECT_EQ(events(), (Told{"elected 8", "leader us 8", "ending stopped"}));
  EXPECT_EQ(endings.at(0).election, two);
  stop(three);
  EXPECT_EQ(events(), Told{"stopped"});
  EXPECT_FALSE(elections().campaigning());
  EXPECT_FALSE(elections().empty());
}

// T20: also for the same name, by one process.
TEST_F(Electing, TwoCandidatesOfOneProcessForOneNameAreTwo) {
  const ElectionId one = elect(7);
  const LeaseId its_term = term->lease;
  const ElectionId other = start();
  reply<AcquireRequest>(Held{{"us", 7}, 10s});
  redis_shows = led_by("us", 7);
  events();
  advance(1s);
  EXPECT_EQ(events(), Told{"leader us 7"});  // the other one sees it, and does not take it for its own
  stop(one);
  drained(one, its_term);
  give_back();
  while (asked<AcquireRequest>().empty()) advance(1ms);
  win(8);
  EXPECT_EQ(term->token, 8U);
  stop(other);
  EXPECT_EQ(endings.back().election, other);
}

}  // namespace
}  // namespace tenure::core
