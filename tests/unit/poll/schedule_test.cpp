#include "poll/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tenure::poll {
namespace {

using namespace std::chrono_literals;

constexpr WallTime noon{Milliseconds(1'790'000'000'000)};
constexpr Milliseconds backoff = 120s;

std::vector<std::string> ids(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back("s" + std::to_string(i));
  return all;
}

TEST(Cadence, EveryMomentLiesInOneSlot) {
  for (const auto& id : ids(50)) {
    const Cadence cadence(id, 7s);
    for (WallTime at = noon; at < noon + 20s; at += 333ms) {
      const WallTime slot = cadence.slot_at(at);
      EXPECT_LE(slot, at);
      EXPECT_GT(slot + 7s, at);
      EXPECT_EQ(cadence.slot_at(slot), slot);
      EXPECT_EQ(cadence.after(at), slot + 7s);
    }
  }
}

TEST(Cadence, ATimeBefore1970IsInASlotToo) {
  const Cadence cadence("a", 10s);
  const WallTime early{-123'456ms};
  EXPECT_LE(cadence.slot_at(early), early);
  EXPECT_GT(cadence.slot_at(early) + 10s, early);
}

TEST(Cadence, SessionsAreSpreadOverTheirInterval) {
  std::map<std::int64_t, int> by_second;
  for (const auto& id : ids(10'000)) by_second[(Cadence(id, 10s).after(noon) - noon - 1ms) / 1s] += 1;
  ASSERT_EQ(by_second.size(), 10U);
  for (const auto& [second, count] : by_second) EXPECT_NEAR(count, 1'000, 150) << second;
}

TEST(Cadence, ANewOwnerDoesNotPollTheCurrentSlotAgain) {
  const Cadence cadence("a", 10s);
  const WallTime slot = cadence.slot_at(noon);
  EXPECT_EQ(cadence.next(slot, slot + 1ms), (Turn{slot + 10s, slot + 10s}));
  EXPECT_EQ(cadence.next(slot, slot + 9'999ms), (Turn{slot + 10s, slot + 10s}));
}

TEST(Cadence, ASlotThatWasMissedIsPolledLate) {
  const Cadence cadence("a", 10s);
  const WallTime slot = cadence.slot_at(noon);
  EXPECT_EQ(cadence.next(slot - 10s, slot + 3s), (Turn{slot, slot})) << "due in the past: now";
  EXPECT_EQ(cadence.next(slot - 1h, slot + 3s), (Turn{slot, slot})) << "one poll, whatever was missed";
}

TEST(Cadence, AnOwnerWhoseClockIsALittleAheadCausesNoSecondPoll) {
  const Cadence cadence("a", 10s);
  const WallTime slot = cadence.slot_at(noon);
  EXPECT_EQ(cadence.next(slot, slot - 200ms), (Turn{slot + 10s, slot + 10s}));
}

TEST(Cadence, HandOversKeepOnePollInEverySlot) {
  const Cadence cadence("a", 10s);
  // A poll at each turn, an owner after the other, each of them asking some time after the last poll.
  std::optional<WallTime> last = cadence.slot_at(noon);
  WallTime now = noon;
  std::vector<WallTime> polled;
  for (int i = 0; i < 200; ++i) {
    now += 1ms * (i * 37 % 4'000);
    const Turn turn = cadence.next(last, now);
    now = std::max(now, turn.due);
    EXPECT_EQ(cadence.slot_at(now), turn.slot) << "polled within its slot";
    last = turn.slot;
    polled.push_back(turn.slot);
  }
  for (std::size_t i = 1; i < polled.size(); ++i) EXPECT_EQ(polled[i] - polled[i - 1], 10s);
}

TEST(Cadence, ASessionNeverPolledIsDueWithinAQuarterOfItsInterval) {
  for (const auto& id : ids(1'000)) {
    const Cadence cadence(id, 60s);
    const Turn turn = cadence.next(std::nullopt, noon);
    EXPECT_GE(turn.due, noon);
    EXPECT_LT(turn.due, noon + 15s);
    // And not again at once.
    const Turn second = cadence.after_poll(turn.slot, turn.due + 50ms, 0, backoff);
    EXPECT_GE(second.due - turn.due, 30s) << id;
    EXPECT_LE(second.due - turn.due, 90s) << id;
    EXPECT_EQ(cadence.next(turn.slot, turn.due + 50ms), second) << "a new owner sees it the same way";
  }
}

TEST(Cadence, ASlotFarAheadIsIgnored) {
  const Cadence cadence("a", 10s);
  EXPECT_LT(cadence.next(noon + 1h, noon).due, noon + 2'500ms) << "the clock was set back by an hour";
  EXPECT_GE(cadence.next(noon + 1h, noon).due, noon);
}

TEST(Cadence, AnIntervalThatChangedGoesOnFromTheLastPoll) {
  const Cadence slow("a", 60s);
  const Cadence fast("a", 10s);
  const WallTime last = slow.slot_at(noon);
  EXPECT_EQ(fast.next(last, last + 25s).due, fast.slot_at(last + 25s)) << "due at once";
  const WallTime quick = fast.slot_at(noon);
  const WallTime due = slow.next(quick, quick + 1s).due;
  EXPECT_GT(due, quick + 1s) << "it was polled in this long slot";
  EXPECT_LE(due, quick + 60s);
}

TEST(Cadence, FailuresDoubleTheIntervalUpToTheLimit) {
  const Cadence cadence("a", 10s);
  const WallTime slot = cadence.slot_at(noon);
  const auto wait = [&](unsigned failures) {
    return cadence.after_poll(slot, slot + 1s, failures, backoff).due - slot;
  };
  EXPECT_EQ(wait(0), 10s);
  EXPECT_EQ(wait(1), 20s);
  EXPECT_EQ(wait(2), 40s);
  EXPECT_EQ(wait(3), 80s);
  EXPECT_EQ(wait(4), 120s);
  EXPECT_EQ(wait(4'000'000'000U), 120s);
  const Cadence odd("a", 50s);
  const WallTime odd_slot = odd.slot_at(noon);
  EXPECT_EQ(odd.after_poll(odd_slot, odd_slot + 1s, 9, backoff).due - odd_slot, 100s) << "a slot within it";
  const Cadence slow("a", 300s);
  const WallTime slow_slot = slow.slot_at(noon);
  EXPECT_EQ(slow.after_poll(slow_slot, slow_slot + 1s, 9, backoff).due - slow_slot, 300s) << "never sooner";
}

TEST(Cadence, APollLongerThanItsIntervalLeavesOutWhatItMissed) {
  const Cadence cadence("a", 10s);
  const WallTime slot = cadence.slot_at(noon);
  EXPECT_EQ(cadence.after_poll(slot, slot + 34s, 0, backoff).due, slot + 40s);
}

TEST(Cadence, IntervalsOfMillisecondsWorkForTests) {
  const Cadence cadence("a", 1ms);
  EXPECT_EQ(cadence.next(noon, noon).due, noon + 1ms);
  EXPECT_EQ(cadence.next(std::nullopt, noon).due, noon);
}

}  // namespace
}  // namespace tenure::poll
