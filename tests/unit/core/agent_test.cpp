// What a driver of the core gets to see, and in which order.
#include "core/agent.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/election/electing.hpp"

namespace tenure::core {
namespace {

struct AnAgent : testing::Test {
  Agent agent{{.owner = "us"}, Random(1)};

  static Wish wish(const std::string& key) { return {.key = key, .timing = timing_of()}; }
  // Answers what asks for this, of what was sent last.
  template <class Kind>
  void answer(const Effects& effects, const Reply& reply, Time now) {
    for (const Send& it : effects.sends) {
      if (std::holds_alternative<Kind>(it.request)) agent.on_reply(it.id, reply, now);
    }
  }
  // The notices of one kind, in order.
  template <class Audience, class Kind>
  static std::vector<Kind> told(const Outcome& outcome) {
    std::vector<Kind> found;
    for (const Notice& notice : outcome.notices) {
      const auto* audience = std::get_if<Audience>(&notice);
      const auto* it = audience != nullptr ? std::get_if<Kind>(audience) : nullptr;
      if (it != nullptr) found.push_back(*it);
    }
    return found;
  }
  template <class Kind>
  static bool sends(const Outcome& outcome) {
    return std::ranges::any_of(outcome.effects.sends,
                               [](const Send& it) { return std::holds_alternative<Kind>(it.request); });
  }
  LeaseId hold(const std::string& key, Time now) {
    agent.acquire(wish(key), now);
    answer<AcquireRequest>(agent.take().effects, Granted{7}, now);
    return told<CallNotice, Acquired>(agent.take()).at(0).lease;
  }
};

TEST_F(AnAgent, GivesWhatHasComeOfItOnce) {
  EXPECT_TRUE(agent.take().empty());
  agent.acquire(wish("a"), at(0s));
  EXPECT_FALSE(agent.take().empty());
  EXPECT_TRUE(agent.take().empty());
}

// A Drop closes a connection: what is sent in the same breath goes over the next one.
TEST_F(AnAgent, TellsWhatTimedOutApartFromWhatIsSent) {
  hold("held", at(0s));
  agent.acquire(wish("silent"), at(2900ms));
  const Effects silent = agent.take().effects;
  agent.on_timer(at(4s));  // late: the renewal is due, and the other request has timed out
  const Outcome outcome = agent.take();
  ASSERT_EQ(outcome.effects.drops.size(), 1U);
  EXPECT_EQ(outcome.effects.drops[0].id, silent.sends.back().id);
  EXPECT_TRUE(sends<RenewRequest>(outcome));
}

TEST_F(AnAgent, SaysThatALeaseIsLostWhoseHolderSawItsEnd) {
  const LeaseId lease = hold("a", at(0s));
  agent.give_up(lease, at(1s));
  const auto lost = told<LeaseNotice, Lost>(agent.take());
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].lease, lease);
  EXPECT_LE(lost[0].deadline, at(1s));
  agent.on_timer(at(4s));
  EXPECT_FALSE(sends<RenewRequest>(agent.take()));
}

// And an election hears of it, whose term it is.
TEST_F(AnAgent, EndsATermWhoseHolderSawItsEnd) {
  agent.start(election_plan(), at(0s));
  answer<AcquireRequest>(agent.take().effects, Granted{7}, at(0s));
  const auto elected = told<ElectionNotice, Elected>(agent.take());
  ASSERT_EQ(elected.size(), 1U);
  agent.give_up(elected[0].term.lease, at(1s));
  const Outcome outcome = agent.take();
  EXPECT_EQ((told<LeaseNotice, Lost>(outcome).size()), 1U);
  EXPECT_EQ((told<ElectionNotice, TermEnding>(outcome).size()), 1U);
}

// S8: whoever tells the notices first has nobody believe in a term any more when its release leaves.
TEST_F(AnAgent, TellsThatATermIsOverTogetherWithItsRelease) {
  agent.start(election_plan(), at(0s));
  answer<AcquireRequest>(agent.take().effects, Granted{7}, at(0s));
  agent.take();
  agent.close_elections(at(1s));
  const Outcome outcome = agent.take();
  EXPECT_EQ((told<ElectionNotice, TermOver>(outcome).size()), 1U);
  EXPECT_TRUE(sends<ReleaseRequest>(outcome));
}

// T58: a grant that is heard just before the stop has led, and ends.
TEST_F(AnAgent, TellsOfATermThatIsStoppedInTheSameBreathInOrder) {
  const ElectionId election = agent.start(election_plan(), at(0s));
  answer<AcquireRequest>(agent.take().effects, Granted{7}, at(0s));
  agent.stop(election, at(0s));
  std::vector<std::size_t> kinds;
  for (const Notice& notice : agent.take().notices) kinds.push_back(std::get<ElectionNotice>(notice).index());
  EXPECT_EQ(kinds, (std::vector<std::size_t>{0, 4, 1})) << "Elected, LeaderChanged, TermEnding";
}

// As a process that stood still finds it: its connection was closed, and the time for an answer is over.
TEST_F(AnAgent, DropsNothingThatHasNotLeft) {
  const LeaseId lease = hold("a", at(0s));
  agent.release(lease, at(1s));
  const Effects release = agent.take().effects;
  answer<ReleaseRequest>(release, failed(Applied::perhaps, FailureCode::closed), at(3s));
  agent.on_timer(at(3s));
  const Outcome outcome = agent.take();
  EXPECT_TRUE(outcome.effects.drops.empty());
  EXPECT_FALSE(sends<ReleaseRequest>(outcome)) << "its time is over, and it is tried again later";
  ASSERT_EQ((told<CallNotice, Released>(outcome).size()), 1U);
}

// Several answers and the timer may come before anybody asks what has come of it.
TEST_F(AnAgent, WithdrawsWhatTimedOutBeforeItWasTaken) {
  agent.acquire(wish("a"), at(0s));
  agent.on_timer(at(2s));
  const Outcome outcome = agent.take();
  EXPECT_TRUE(outcome.effects.drops.empty());
  EXPECT_FALSE(sends<AcquireRequest>(outcome));
}

TEST_F(AnAgent, WakesForWhicheverOfItsPartsIsFirst) {
  EXPECT_FALSE(agent.wake());
  hold("a", at(0s));
  const auto lease = agent.tenant().wake();
  EXPECT_EQ(agent.wake(), lease);
  agent.start(observer_plan(), at(0s));
  EXPECT_EQ(agent.wake(), sooner(agent.tenant().wake(), agent.elections().wake()));
  agent.join({.prefix = "poll:", .timing = timing_of({.ttl = 30s}), .boot = "boot"}, at(0s));
  ASSERT_NE(agent.fleet(), nullptr);
  EXPECT_LE(agent.wake(), agent.fleet()->wake());
}

TEST_F(AnAgent, TakesPartInAFleetUntilThatHasStopped) {
  agent.leave(at(0s));
  agent.share({"s"}, at(0s));
  EXPECT_FALSE(agent.give_back("s", at(0s)));
  EXPECT_TRUE(agent.take().empty()) << "without a fleet nothing comes of these";
  agent.join({.prefix = "poll:", .timing = timing_of({.ttl = 30s}), .boot = "boot"}, at(0s));
  EXPECT_FALSE(agent.idle());
  agent.close_fleet(at(0s));
  EXPECT_EQ((told<FleetNotice, FleetStopped>(agent.take()).size()), 1U);
  EXPECT_EQ(agent.fleet(), nullptr);
}

}  // namespace
}  // namespace tenure::core
