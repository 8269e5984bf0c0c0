// Who is seen to hold a name: at first, and whenever it changes. What a majority shows: holder_watch_quorum_test.cpp.
#include "core/lease/holder_watch.hpp"

#include "unit/lease/looking.hpp"

namespace tenure::core {
namespace {

TEST_F(Looking, TheFirstLookIsAtOnce) {
  watch(1, at(5s));
  EXPECT_EQ(watch_.wake(), at(5s));
  on_timer(at(5s));
  const auto sent = take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].node, 0U);
  EXPECT_EQ(sent[0].answer_within, 1s);
  EXPECT_EQ(keys(sent[0]), Names{"key1"});
  EXPECT_TRUE(take<Seen>().empty());
  reply(sent[0], KeyStates{shows(web_3)}, at(5s));
  const auto told = take<Seen>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].watch, WatchId{1});
  EXPECT_EQ(told[0].holder, web_3);
}

// T51
TEST_F(Looking, ThatNobodyHoldsItIsToldToo) {
  watch();
  look({nothing}, at(0s));
  EXPECT_EQ(seen(), Names{"nobody"});
}

// As in a Redis Cluster of which one shard is down.
TEST_F(Looking, ANameThatTheNodeCannotLookAtHidesNoOther) {
  KeyState unknown;
  unknown.known = false;
  watch(1);
  watch(2);
  look({shows(web_3, 5s), shows(web_4, 5s)}, at(0s));
  EXPECT_EQ(seen(), (Names{"web-3", "web-4"}));
  look({unknown, nothing}, *watch_.wake());
  EXPECT_EQ(seen(), Names{"nobody"}) << "what was seen of the first stands, until its time has run out";
}

TEST_F(Looking, WhatStaysTheSameIsToldOnce) {
  watch();
  for (auto now = at(0s); now < at(5s); now += 800ms) look({shows(web_3)}, now);
  EXPECT_EQ(seen(), Names{"web-3"});
}

TEST_F(Looking, WhatChangesIsToldEachTime) {
  watch();
  for (const KeyState& state : {shows(web_3), nothing, shows(web_4), shows(web_3)}) {
    look({state}, *watch_.wake());
  }
  EXPECT_EQ(seen(), (Names{"web-3", "nobody", "web-4", "web-3"}));
}

// T46, T52: a leader that was lost and won again leads another term.
TEST_F(Looking, TheSameOwnerWithAnotherTokenIsAChange) {
  watch();
  look({shows({"web-3", 5})}, at(0s));
  look({shows({"web-3", 6})}, *watch_.wake());
  const auto told = take<Seen>();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1].holder, (Holder{"web-3", 6}));
}

// They are keys of a lease that nobody holds: kept for the next in the queue for a moment, broken by hand, without an
// expiry, run out in this moment, or not written by us.
TEST_F(Looking, AValueThatIsNoLeaseIsNobody) {
  const KeyState none[] = {{Holder{"web-3", 0, true}, std::nullopt, 250ms},
                           shows({"broken by alice@host", 5}),
                           shows(web_3, std::nullopt),
                           shows(web_3, 0ms),
                           {Holder{"by hand"}, std::nullopt, 10s},
                           {Holder{}, std::nullopt, 10s}};
  for (std::uint64_t i = 0; i < std::size(none); ++i) {
    watch(i + 1);
    look({none[i]}, at(0s));
    EXPECT_EQ(seen(), Names{"nobody"}) << none[i].holder->owner;
    watch_.unwatch(WatchId{i + 1});
  }
}

TEST_F(Looking, LooksAgainEverySoOften) {
  watch();
  look({shows(web_3)}, at(100ms));
  EXPECT_EQ(watch_.wake(), at(900ms));
  on_timer(at(899ms));
  EXPECT_TRUE(take<Send>().empty());
  on_timer(at(900ms));
  EXPECT_EQ(take<Send>().size(), 1U);
}

// A leader that died is seen to be gone as soon as its time has run out.
TEST_F(Looking, LooksAgainWhenTheTimeThatIsLeftHasRunOut) {
  watch();
  look({shows(web_3, 300ms)}, at(0s));
  EXPECT_EQ(watch_.wake(), at(302ms));
}

TEST_F(Looking, LooksMoreOftenWhileSomebodyIsAboutToTakeIt) {
  watch();
  look({nothing}, at(0s));
  EXPECT_EQ(watch_.wake(), at(200ms));
}

TEST_F(Looking, ALookUnderWayIsNotRepeated) {
  watch();
  on_timer(at(0s));
  on_timer(at(999ms));
  EXPECT_EQ(take<Send>().size(), 1U);
  EXPECT_EQ(watch_.wake(), at(1s));
}

// One node that does not answer says nothing about who holds the name.
TEST_F(Looking, WithoutAnAnswerWhatWasSeenStandsUntilItsTimeHasRunOut) {
  watch();
  look({shows(web_3, 5s)}, at(0s));
  EXPECT_EQ(seen(), Names{"web-3"});
  for (Time now = at(0s); now < at(5s);) {
    now = *watch_.wake();
    on_timer(now);
    if (now < at(5s)) {
      EXPECT_EQ(seen(), Names{}) << to_text(now.time_since_epoch());
    }
  }
  while (watch_.wake() < at(8s)) wake();
  EXPECT_EQ(seen(), Names{"nobody"});
}

TEST_F(Looking, WithoutAnyAnswerFromTheBeginningNobodyIsSeen) {
  watch();
  on_timer(at(0s));
  on_timer(at(1s));
  EXPECT_EQ(take<Drop>().size(), 1U);
  EXPECT_EQ(seen(), Names{"nobody"});
  EXPECT_EQ(watch_.wake(), at(1800ms));
}

TEST_F(Looking, AFailureIsHeardAtOnceAndChangesNothing) {
  watch();
  look({shows(web_3)}, at(0s));
  on_timer(at(800ms));
  reply(take<Send>().at(0), failed(Applied::no, FailureCode::unreachable), at(801ms));
  EXPECT_EQ(seen(), Names{"web-3"});
  EXPECT_EQ(watch_.wake(), at(1601ms));
}

// F13: a connection whose reply is late must not be used again.
TEST_F(Looking, ASilentNodeIsDroppedAfterItsTime) {
  watch();
  const auto sent = ask();
  on_timer(at(999ms));
  EXPECT_TRUE(take<Drop>().empty());
  on_timer(at(1s));
  const auto dropped = take<Drop>();
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].id, sent.at(0).id);
  EXPECT_TRUE(desk.requests.empty());
}

TEST_F(Looking, AnswersThatDoNotFitAreNone) {
  const std::vector<Reply> unfit{Granted{5},    Held{web_3, 10s},
                                 NotOpen{},     Opened{},
                                 NodeClock{1h}, KeyAnswers{KeyAnswer::done},
                                 KeyStates{},   KeyStates{shows(web_4), shows(web_4)}};
  watch();
  look({shows(web_3, 50s)}, at(0s));
  for (const Reply& answer : unfit) {
    const Time now = wake();
    reply(take<Send>().at(0), answer, now);
    EXPECT_EQ(watch_.wake(), now + 800ms);
  }
  EXPECT_EQ(seen(), Names{"web-3"});
}

// A key that was set by hand may last longer than nanoseconds can count from now on.
TEST_F(Looking, ATimeThatIsLeftForACenturyIsFarAway) {
  watch();
  look({shows(web_3, std::chrono::years(100))}, at(0s));
  EXPECT_EQ(watch_.wake(), at(800ms));
  look({nothing}, at(800ms));
  EXPECT_EQ(seen(), (Names{"web-3", "nobody"}));
}

TEST_F(Looking, WhoeverDoesNotWatchAnyMoreHearsNothingOfALookUnderWay) {
  watch(1);
  watch(2);
  const auto sent = ask();
  watch_.unwatch(WatchId{1});
  EXPECT_FALSE(watch_.empty());
  reply(sent.at(0), KeyStates{shows(web_3), shows(web_4)}, at(10ms));
  const auto told = take<Seen>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].watch, WatchId{2});
  EXPECT_EQ(told[0].holder, web_4);  // and not what belongs to the other
}

TEST_F(Looking, WhenNothingIsWatchedNothingStays) {
  watch(1);
  on_timer(at(0s));
  watch_.unwatch(watch(2, at(10ms)));
  watch_.unwatch(WatchId{1});
  EXPECT_FALSE(watch_.empty());  // an answer is on its way
  on_timer(at(1s));
  EXPECT_EQ(take<Drop>().size(), 1U);
  EXPECT_TRUE(watch_.empty());
  EXPECT_EQ(watch_.wake(), std::nullopt);
  EXPECT_EQ(seen(), Names{});
}

TEST_F(Looking, ANameThatIsWatchedTwiceIsToldTwice) {
  watch_.watch(WatchId{1}, "key", 800ms, 1s, at(0s));
  watch_.watch(WatchId{2}, "key", 800ms, 1s, at(0s));
  look({shows(web_3), shows(web_3)}, at(0s));
  EXPECT_EQ(seen(), (Names{"web-3", "web-3"}));
}

// B5: what a process watches costs a call now and then, and not one for each name.
TEST_F(Looking, ManyNamesAreOneCall) {
  for (std::uint64_t i = 1; i <= 20; ++i) watch(i);
  const auto sent = ask();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(keys(sent[0]).size(), 20U);
  reply(sent[0], KeyStates(20, shows(web_3)), at(0s));
  EXPECT_EQ(seen().size(), 20U);
}

TEST_F(Looking, EachNameIsAnsweredForItself) {
  for (std::uint64_t i = 1; i <= 3; ++i) watch(i);
  look({shows(web_3), nothing, shows(web_4)}, at(0s));
  EXPECT_EQ(seen(), (Names{"web-3", "nobody", "web-4"}));
}

TEST_F(Looking, ALookThatIsDueSoonGoesAlong) {
  watch(1);
  look({shows(web_3)}, at(0s));
  watch(2, at(90ms));
  look({shows(web_3)}, at(90ms));
  watch(3, at(110ms));
  look({shows(web_3)}, at(110ms));
  on_timer(at(800ms));  // the second is due in less than an eighth of 800 ms, the third in more
  const auto sent = take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(keys(sent[0]), (Names{"key1", "key2"}));
}

// A script blocks the whole server while it runs.
TEST_F(Looking, ACallIsForNoMoreThanFiveHundredNames) {
  for (std::uint64_t i = 1; i <= 1001; ++i) watch(i);
  const auto sent = ask();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(keys(sent[0]).size(), 500U);
  EXPECT_EQ(keys(sent[1]).size(), 500U);
  EXPECT_EQ(keys(sent[2]), Names{"key1001"});
}

TEST_F(Looking, WhoWaitsForANodeAsLongAsAnotherGoesWithIt) {
  watch_.watch(WatchId{1}, "a", 800ms, 1s, at(0s));
  watch_.watch(WatchId{2}, "b", 800ms, 50ms, at(0s));
  watch_.watch(WatchId{3}, "c", 800ms, 1s, at(0s));
  const auto sent = ask();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(keys(sent[0]), Names{"b"});
  EXPECT_EQ(sent[0].answer_within, 50ms);
  EXPECT_EQ(keys(sent[1]), (Names{"a", "c"}));
  on_timer(at(50ms));
  EXPECT_EQ(take<Drop>().at(0).id, sent[0].id);
  EXPECT_EQ(seen(), Names{"nobody"});
}

}  // namespace
}  // namespace tenure::core
