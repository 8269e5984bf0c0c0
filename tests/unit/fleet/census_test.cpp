#include "core/fleet/census.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

// Beats of 30 s, every 9 to 10 s; Redis has a second to answer.
struct ACensus : testing::Test {
  Census census{{"poll:", "us", Beat{"boot"}, 0, 30s, 10s, 1s}};
  Desk desk;

  void join() { census.join(at(0s)); }
  std::optional<Census::News> on_timer(Time now) { return census.on_timer(now, desk.random, desk.out); }
  // The beat that is due then.
  Send beat(Time now) {
    EXPECT_FALSE(on_timer(now));
    const auto sent = desk.take<Send>();
    EXPECT_EQ(sent.size(), 1U);
    return sent.at(0);
  }
  std::optional<Census::News> reply(const Send& to, const Reply& answer, Time now) {
    return census.on_reply(to.id, answer, now, desk.random);
  }
  static const BeatRequest& text(const Send& sent) { return std::get<BeatRequest>(sent.request); }
  static LiveMembers live(std::vector<Member> members) {
    members.push_back({"us", 1, 0, 30s});
    return {std::move(members), 0};
  }
};

TEST_F(ACensus, SleepsUntilItJoinsAndThenBeatsAtOnce) {
  EXPECT_FALSE(census.wake());
  join();
  EXPECT_EQ(census.wake(), at(0s));
  EXPECT_EQ(text(beat(at(0s))).ttl, 30s);
}

TEST_F(ACensus, BeatsAgainWithinItsIntervalAndTellsWhoLives) {
  join();
  const auto news = reply(beat(at(0s)), live({}), at(1ms));
  EXPECT_EQ(std::get<LiveMembers>(news.value()).members.size(), 1U);
  EXPECT_GE(census.wake(), at(9s));
  EXPECT_LE(census.wake(), at(10s));
}

TEST_F(ACensus, SaysWithItsNextBeatWhatItOwns) {
  join();
  reply(beat(at(0s)), live({}), at(1ms));
  census.note_owned(Tally{7, 9}, {1, 2});
  census.note_version(3);
  const Send next = beat(*census.wake());
  EXPECT_EQ(text(next).beat.owned, 7U);
  EXPECT_EQ(text(next).beat.digest, 9U);
  EXPECT_EQ(text(next).owned, (std::vector<SessionHash>{1, 2}));
  EXPECT_EQ(text(next).beat.version, 3U);
}

// L2: not at the next beat, which may be ten seconds away.
TEST_F(ACensus, LooksWhenTheFirstOfTheOthersRunsOut) {
  join();
  reply(beat(at(0s)), live({{"a", 1, 0, 8s}, {"b", 1, 0, 4s}}), at(1ms));
  EXPECT_EQ(census.wake(), at(4s + 3ms));
}

TEST_F(ACensus, TriesAgainSoonWhenABeatFailed) {
  join();
  const auto news = reply(beat(at(0s)), failed(Applied::no), at(1ms));
  EXPECT_TRUE(std::holds_alternative<Failure>(news.value()));
  EXPECT_GE(census.wake(), at(51ms));
  EXPECT_LE(census.wake(), at(101ms));
}

TEST_F(ACensus, TriesLessAndLessOftenButTwiceInAnInterval) {
  join();
  Time now = at(0s);
  for (int i = 0; i < 10; ++i) {
    const Send sent = beat(now);
    reply(sent, failed(Applied::no), now);
    ASSERT_LE(*census.wake() - now, 5s);
    now = *census.wake();
  }
}

TEST_F(ACensus, DropsABeatThatHangs) {
  join();
  const Send hangs = beat(at(0s));
  EXPECT_EQ(census.wake(), at(1s));
  const auto news = on_timer(at(1s));
  EXPECT_EQ(std::get<Failure>(news.value()).code, FailureCode::timed_out);
  EXPECT_EQ(desk.take<Drop>().at(0).id, hangs.id);
}

TEST_F(ACensus, DoesNotTakeALateAnswerForThatToTheNextBeat) {
  join();
  const Send hangs = beat(at(0s));
  on_timer(at(1s));
  desk.take<Drop>();
  beat(*census.wake());
  EXPECT_FALSE(reply(hangs, live({}), at(2s)));
}

// Otherwise everybody would beat once for each of many that join together.
TEST_F(ACensus, BeatsForNewsButNotTwiceIn50Milliseconds) {
  join();
  reply(beat(at(0s)), live({}), at(1ms));
  census.beat_by(at(10ms));
  EXPECT_EQ(census.wake(), at(50ms));
  census.beat_by(at(200ms));
  EXPECT_EQ(census.wake(), at(50ms));
}

TEST_F(ACensus, SaysOnceThatItLeaves) {
  join();
  reply(beat(at(0s)), live({}), at(1ms));
  census.leave(desk.out);
  census.leave(desk.out);
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(text(sent[0]).ttl, 0s);
  EXPECT_FALSE(census.wake());
  EXPECT_FALSE(reply(sent[0], live({}), at(2ms)));
}

TEST_F(ACensus, TellsThatAnotherProcessLivesUnderItsId) {
  join();
  const auto news = reply(beat(at(0s)), IdTaken{5s}, at(1ms));
  EXPECT_EQ(std::get<IdTaken>(news.value()).left, 5s);
}

TEST_F(ACensus, BelievesNoAnswerThatDoesNotNameItself) {
  join();
  const auto news = reply(beat(at(0s)), LiveMembers{{{"a", 1, 0, 30s}}, 0}, at(1ms));
  EXPECT_TRUE(std::holds_alternative<Failure>(news.value()));
}

}  // namespace
}  // namespace tenure::core
