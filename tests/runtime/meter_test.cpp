// Each reason has a counter of its own, and round trips are those of the requests that were asked.
#include "runtime/engine/meter.hpp"

#include <gtest/gtest.h>

#include "runtime/engine/in_flight.hpp"

namespace tenure::runtime {
namespace {

using namespace std::chrono_literals;

TEST(AMeter, CountsEveryRefusalByItself) {
  using enum core::RefusalCode;
  Meter meter(1);
  std::uint64_t times = 0;
  for (const auto code : {held, no_quorum, not_open, too_slow, waited, cancelled}) {
    ++times;
    for (std::uint64_t i = 0; i < times; ++i) meter.on_refused(code);
  }
  const auto counts = meter.snapshot({}).acquisitions;
  EXPECT_EQ(counts.held, 1U);
  EXPECT_EQ(counts.no_quorum, 2U);
  EXPECT_EQ(counts.not_open, 3U);
  EXPECT_EQ(counts.too_slow, 4U);
  EXPECT_EQ(counts.waited, 5U);
  EXPECT_EQ(counts.cancelled, 6U);
  EXPECT_EQ(counts.granted, 0U);
}

TEST(AMeter, CountsEveryLossByItself) {
  using enum core::LossReason;
  Meter meter(1);
  std::uint64_t times = 0;
  for (const auto reason : {not_renewed, missing, taken, over, closed, stepped_down, stopped}) {
    ++times;
    for (std::uint64_t i = 0; i < times; ++i) meter.on_lost(reason);
  }
  const auto counts = meter.snapshot({}).losses;
  EXPECT_EQ(counts.not_renewed, 1U);
  EXPECT_EQ(counts.missing, 2U);
  EXPECT_EQ(counts.taken, 3U);
  EXPECT_EQ(counts.hold_over, 4U);
  EXPECT_EQ(counts.closed, 5U);
  EXPECT_EQ(counts.stepped_down, 6U);
  EXPECT_EQ(counts.stopped, 7U);
}

TEST(AMeter, CountsEveryReleaseByItself) {
  using enum core::ReleaseOutcome;
  Meter meter(1);
  std::uint64_t times = 0;
  for (const auto outcome : {released, expired, taken, failed}) {
    ++times;
    for (std::uint64_t i = 0; i < times; ++i) meter.on_released(outcome);
  }
  const auto counts = meter.snapshot({}).releases;
  EXPECT_EQ(counts.released, 1U);
  EXPECT_EQ(counts.expired, 2U);
  EXPECT_EQ(counts.taken, 3U);
  EXPECT_EQ(counts.failed, 4U);
}

TEST(AMeter, CountsEverySessionThatEndedByItsReason) {
  using enum core::EndReason;
  Meter meter(1);
  meter.on_joined();
  std::uint64_t times = 0;
  for (const auto reason : {rebalance, removed, given_back, stopped, not_renewed, missing, taken, closed}) {
    ++times;
    for (std::uint64_t i = 0; i < times; ++i) {
      meter.on_session_taken();
      meter.on_session_ended(reason);
    }
  }
  const auto fleet = meter.snapshot({}).fleet.value();
  EXPECT_EQ(fleet.owned, 0U);
  EXPECT_EQ(fleet.gained, 36U);
  EXPECT_EQ(fleet.ended.rebalance, 1U);
  EXPECT_EQ(fleet.ended.removed, 2U);
  EXPECT_EQ(fleet.ended.released, 3U);
  EXPECT_EQ(fleet.ended.stopped, 4U);
  EXPECT_EQ(fleet.ended.not_renewed, 5U);
  EXPECT_EQ(fleet.ended.missing, 6U);
  EXPECT_EQ(fleet.ended.taken, 7U);
  EXPECT_EQ(fleet.ended.closed, 8U);
}

TEST(AMeter, DoesNotCountALeaderThatIsSeenAgain) {
  Meter meter(1);
  const core::ElectionId id{7};
  meter.on_started(id, "leader");
  const core::Holder leader{"web-1", 5};
  meter.on_leader_changed({id, std::nullopt, leader});
  meter.on_leader_changed({id, leader, std::nullopt});
  EXPECT_FALSE(meter.snapshot({}).elections.at(0).leader_seen);
  EXPECT_EQ(meter.snapshot({}).elections.at(0).term, 5U);
  meter.on_leader_changed({id, std::nullopt, leader});
  EXPECT_EQ(meter.snapshot({}).elections.at(0).leader_changes, 1U);
  meter.on_leader_changed({id, leader, core::Holder{"web-1", 6}});
  EXPECT_EQ(meter.snapshot({}).elections.at(0).leader_changes, 2U);
  meter.on_stopped(id);
  EXPECT_TRUE(meter.snapshot({}).elections.empty());
}

TEST(AMeter, NumbersElectionsByTheirNameHoweverOftenTheyAreStarted) {
  Meter meter(1);
  const auto numbers = [&] {
    std::vector<std::uint64_t> all;
    for (const auto& election : meter.snapshot({}).elections) all.push_back(election.number);
    return all;
  };
  meter.on_started(core::ElectionId{1}, "a");
  meter.on_started(core::ElectionId{2}, "b");
  meter.on_leader_changed({core::ElectionId{1}, std::nullopt, core::Holder{"web-1", 5}});
  meter.on_stopped(core::ElectionId{1});
  meter.on_started(core::ElectionId{3}, "c");
  meter.on_started(core::ElectionId{4}, "a");
  EXPECT_EQ(numbers(), (std::vector<std::uint64_t>{2, 3, 1}));
  const ElectionMetrics again = meter.snapshot({}).elections.at(2);
  EXPECT_FALSE(again.leader_seen) << "nobody was seen since it was started again";
  EXPECT_EQ(again.leader_changes, 1U) << "it goes on counting";
}

// Else a page would show two numbers under the same name.
TEST(AMeter, NumbersElectionsOfOneNameThatRunBesideOneAnotherDifferently) {
  Meter meter(1);
  meter.on_started(core::ElectionId{1}, "a");
  meter.on_started(core::ElectionId{2}, "a");
  EXPECT_EQ(meter.snapshot({}).elections.at(0).number, 1U);
  EXPECT_EQ(meter.snapshot({}).elections.at(1).number, 2U);
  meter.on_stopped(core::ElectionId{1});
  meter.on_stopped(core::ElectionId{2});
  meter.on_started(core::ElectionId{3}, "a");
  meter.on_started(core::ElectionId{4}, "a");
  EXPECT_EQ(meter.snapshot({}).elections.at(0).number, 1U);
  EXPECT_EQ(meter.snapshot({}).elections.at(1).number, 2U);
}

// Of so many names not all are remembered. The name that comes first in the alphabet is not the one to forget.
TEST(AMeter, ForgetsTheElectionThatWasStoppedLongestAgo) {
  Meter meter(1);
  std::uint64_t started = 0;
  const auto run = [&](const std::string& key) {
    const core::ElectionId id{++started};
    meter.on_started(id, key);
    const auto number = meter.snapshot({}).elections.at(0).number;
    meter.on_stopped(id);
    return number;
  };
  EXPECT_EQ(run("a"), 1U);
  EXPECT_EQ(run("z"), 2U);
  for (int i = 0; i < 998; ++i) run("n" + std::to_string(i));
  EXPECT_EQ(run("a"), 1U) << "1,000 are remembered";
  EXPECT_EQ(run("m"), 1001U) << "and now z is forgotten";
  EXPECT_EQ(run("a"), 1U);
  EXPECT_EQ(run("m"), 1001U);
  EXPECT_EQ(run("z"), 1002U);
}

constexpr core::RequestId id(std::uint64_t number) { return core::RequestId{number}; }

TEST(RequestsInFlight, AreTakenInWhateverOrderTheyAreAnswered) {
  InFlight in_flight;
  for (std::uint64_t i = 1; i <= 5; ++i) in_flight.add({id(i), core::Time(1s * i), i == 3});
  EXPECT_EQ(in_flight.take(id(3))->at, core::Time(3s));
  EXPECT_FALSE(in_flight.take(id(3))) << "it was answered before";
  EXPECT_FALSE(in_flight.take(id(9))) << "it was never asked";
  for (const std::uint64_t i : {5U, 1U, 4U, 2U}) EXPECT_EQ(in_flight.take(id(i))->at, core::Time(1s * i));
  EXPECT_EQ(in_flight.size(), 0U);
}

TEST(RequestsInFlight, AreForgottenAlsoWhereThereIsAlwaysAnother) {
  InFlight in_flight;
  in_flight.add({id(0), {}});
  for (std::uint64_t i = 1; i <= 5'000; ++i) {
    in_flight.add({id(i), core::Time(1s * i)});
    ASSERT_TRUE(in_flight.take(id(i - 1)));
    ASSERT_EQ(in_flight.size(), 1U);
  }
  EXPECT_EQ(in_flight.take(id(5'000))->at, core::Time(5'000s));
}

}  // namespace
}  // namespace tenure::runtime
