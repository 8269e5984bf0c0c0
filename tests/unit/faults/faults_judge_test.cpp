// The judge of the faults on real processes: does it see what it must, and excuse nothing else?
#include "faults/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "faults/chances.hpp"
#include "faults/schedule.hpp"
#include "faults/visit_judge.hpp"
#include "support/recorder.hpp"

namespace tenure::faults {
namespace {

using namespace std::chrono_literals;

core::Time at(std::chrono::milliseconds since) { return core::Time(since); }

// Acts that the register accepted.
Term term(core::Token token, pid_t pid, const std::vector<std::chrono::milliseconds>& acts) {
  Term term{"job", "lock-" + std::to_string(pid), token, pid};
  for (const auto act : acts) term.acts.push_back({at(act), true});
  return term;
}

Verdict judged(const std::vector<Term>& terms, const std::vector<Stop>& stops = {}) {
  return judge(terms, stops)["job"];
}

TEST(FaultsJudge, OneOwnerAfterTheOtherIsInnocent) {
  const auto verdict = judged({term(5, 1, {0ms, 10ms}), term(6, 2, {12ms, 20ms}), term(9, 1, {50ms})});
  EXPECT_TRUE(verdict.innocent());
  EXPECT_EQ(verdict.grants, 3U);
  EXPECT_EQ(verdict.acts, 5U);
  EXPECT_EQ(verdict.slack.smallest(), 2ms);
}

TEST(FaultsJudge, AnActAfterTheNextOwnersFirstIsAnOverlap) {
  const auto verdict = judged({term(5, 1, {0ms, 13ms}), term(6, 2, {12ms, 20ms})});
  EXPECT_EQ(verdict.overlaps, 1U);
  EXPECT_EQ(verdict.disorders, 0U);
}

TEST(FaultsJudge, ALongOwnerOverlapsAllThatComeWithin) {
  EXPECT_EQ(judged({term(5, 1, {0ms, 90ms}), term(6, 2, {10ms, 20ms}), term(7, 3, {50ms})}).overlaps, 2U);
}

TEST(FaultsJudge, ASmallerTokenThatComesLaterIsOutOfOrder) {
  const auto verdict = judged({term(6, 1, {0ms, 10ms}), term(5, 2, {20ms})});
  EXPECT_EQ(verdict.overlaps, 0U);
  EXPECT_EQ(verdict.disorders, 1U);
}

TEST(FaultsJudge, OneTokenOfTwoProcessesIsOutOfOrder) {
  EXPECT_EQ(judged({term(5, 1, {0ms}), term(5, 2, {20ms})}).disorders, 1U);
}

TEST(FaultsJudge, OtherNamesAreOthersBusiness) {
  auto other = term(5, 2, {0ms, 20ms});
  other.name = "leader";
  EXPECT_TRUE(judged({term(6, 1, {0ms, 10ms}), other}).innocent());
}

TEST(FaultsJudge, WhoWasStoppedByUsMayActUntilItsWatchdogRunsAgain) {
  const std::vector<Stop> stops{{"lock-1", {1}, at(10ms), at(5'000ms)}};
  const auto verdict = judged({term(5, 1, {0ms, 5'000ms, 5'003ms}), term(6, 2, {4'000ms, 6'000ms})}, stops);
  EXPECT_TRUE(verdict.innocent());
  EXPECT_EQ(verdict.excused, 2U);
  EXPECT_EQ(verdict.slack.smallest(), 4'000ms);
}

TEST(FaultsJudge, AlsoIfItHadNotActedBefore) {
  const std::vector<Stop> stops{{"lock-1", {1}, at(10ms), at(5'000ms)}};
  EXPECT_TRUE(judged({term(5, 1, {5'003ms}), term(6, 2, {4'000ms, 6'000ms})}, stops).innocent());
}

TEST(FaultsJudge, NotForLong) {
  const std::vector<Stop> stops{{"lock-1", {1}, at(10ms), at(5'000ms)}};
  EXPECT_EQ(judged({term(5, 1, {0ms, 5'000ms + going_on_max + 1ms}), term(6, 2, {4'000ms})}, stops).overlaps,
            1U);
}

TEST(FaultsJudge, NotWhileItIsSaidToStandStill) {
  const std::vector<Stop> stops{{"lock-1", {1}, at(10ms), at(5'000ms)}};
  EXPECT_EQ(judged({term(5, 1, {0ms, 4'500ms}), term(6, 2, {4'000ms})}, stops).overlaps, 1U);
}

TEST(FaultsJudge, NotAnotherProcess) {
  const std::vector<Stop> stops{{"lock-1", {3}, at(10ms), at(5'000ms)}};
  EXPECT_EQ(judged({term(5, 1, {0ms, 5'003ms}), term(6, 2, {4'000ms})}, stops).overlaps, 1U);
}

TEST(FaultsJudge, AStopThatCostNobodyTheLeaseExcusesNothing) {
  const std::vector<Stop> stops{{"lock-1", {1}, at(10ms), at(500ms)}};
  const auto verdict = judged({term(5, 1, {0ms, 501ms, 900ms}), term(6, 2, {1'000ms})}, stops);
  EXPECT_TRUE(verdict.innocent());
  EXPECT_EQ(verdict.excused, 0U);
  EXPECT_EQ(verdict.slack.smallest(), 100ms);
}

TEST(FaultsJudge, ANamePassedOnLongAfterAStopIsNoFaultOfTheStop) {
  const std::vector<Stop> stops{{"lock-1", {1}, at(10ms), at(500ms)}};
  const auto verdict = judged({term(5, 1, {0ms, 700ms}), term(6, 2, {650ms})}, stops);
  EXPECT_EQ(verdict.overlaps, 1U);
  EXPECT_EQ(verdict.excused, 0U);
}

using Visit = http_target::HttpTarget::Visit;

Visit visit(const std::string& instance, core::Token token, std::chrono::milliseconds from,
            std::chrono::milliseconds until) {
  return {"/", "s-1", instance, token, at(from), at(until), true};
}

Verdict judged(const std::vector<Visit>& visits, const std::vector<Stop>& stops = {}) {
  return judge(visits, stops, at(100'000ms));
}

TEST(FaultsVisits, OneInstanceAfterTheOtherIsInnocent) {
  const auto verdict =
      judged(std::vector{visit("a", 5, 0ms, 10ms), visit("a", 5, 20ms, 30ms), visit("b", 6, 31ms, 40ms)});
  EXPECT_TRUE(verdict.innocent());
  EXPECT_EQ(verdict.grants, 2U);
  EXPECT_EQ(verdict.slack.smallest(), 1ms);
}

TEST(FaultsVisits, OneThatComesBeforeAnotherHasLeftIsAnOverlap) {
  EXPECT_EQ(judged(std::vector{visit("a", 5, 0ms, 10ms), visit("b", 6, 9ms, 20ms)}).overlaps, 1U);
}

TEST(FaultsVisits, OneThatNeverLeavesIsStillThere) {
  auto endless = visit("a", 5, 0ms, 0ms);
  endless.ended.reset();
  EXPECT_EQ(judged(std::vector{endless, visit("b", 6, 9'000ms, 9'001ms)}).overlaps, 1U);
}

TEST(FaultsVisits, ASmallerTokenIsOutOfOrderAndATokenHasOneInstance) {
  EXPECT_EQ(judged(std::vector{visit("a", 5, 0ms, 10ms), visit("b", 4, 20ms, 30ms)}).disorders, 1U);
  EXPECT_EQ(judged(std::vector{visit("a", 5, 0ms, 10ms), visit("b", 5, 20ms, 30ms)}).disorders, 1U);
}

TEST(FaultsVisits, AFewThatWereDecidedBeforeAStopAreExcusedAndNoMore) {
  const std::vector<Stop> stops{{"a", {1}, at(10ms), at(5'000ms)}};
  std::vector<Visit> visits{visit("a", 5, 0ms, 5ms), visit("b", 6, 4'000ms, 4'010ms)};
  for (std::size_t i = 0; i < decided_before_max; ++i) visits.push_back(visit("a", 5, 5'001ms, 5'002ms));
  EXPECT_TRUE(judged(visits, stops).innocent());
  visits.push_back(visit("a", 5, 5'003ms, 5'004ms));
  EXPECT_EQ(judged(visits, stops).disorders, 1U);
}

TEST(FaultsRecorder, KeepsWholeCommandsInTheirOrder) {
  test::CommandSplitter splitter;
  test::Recorder recorder;
  const std::string get = "*2\r\n$3\r\nGET\r\n$3\r\na\r\n\r\n";
  const std::string ping = "*1\r\n$4\r\nPING\r\n";
  for (const char c : get + ping + "*1\r\n$4\r\nPI") {
    splitter.feed({&c, 1});
    while (auto command = splitter.next()) recorder.add(*command);
  }
  EXPECT_EQ(recorder.last(1), ping);
  EXPECT_EQ(recorder.last(10), get + ping);
}

TEST(FaultsRecorder, ForgetsWhatIsNoCommand) {
  test::CommandSplitter splitter;
  splitter.feed("HELLO\r\n*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(splitter.next(), std::nullopt);
  splitter.feed("*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(splitter.next(), std::nullopt);
}

// No clock is wrong for longer than it may be, and no two at a time.
class Clocks {
 public:
  void hear(const Fault& fault) {
    EXPECT_GE(fault.at, seen_) << "not within 1.1 times the cap";
    seen_ = fault.end() + cap * 11 / 10;
    clocks_[fault.whom] += fault.kind == Kind::step_back ? -clock_step : clock_step;
    EXPECT_TRUE(fault.kind == Kind::step_back || fault.length > ttl) << "leases there must have ended";
    EXPECT_LE(std::ranges::count_if(clocks_, [](const auto& it) { return it.second != 0ms; }), 1);
    EXPECT_LT(std::chrono::abs(clocks_[fault.whom]), cap);
  }

 private:
  std::map<std::size_t, std::chrono::milliseconds> clocks_;
  core::Duration seen_{};
};

class FaultsSchedule : public testing::TestWithParam<Store> {};
INSTANTIATE_TEST_SUITE_P(On, FaultsSchedule, testing::Values(Store::redis, Store::postgresql),
                         [](const auto& it) { return it.param == Store::redis ? "Redis" : "PostgreSQL"; });

TEST_P(FaultsSchedule, KeepsToWhatIsAssumed) {
  const Crowd crowd{.store = GetParam()};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const auto faults = make_schedule(seed, 300s, crowd);
    ASSERT_GT(faults.size(), 50U);
    Clocks clocks;
    std::map<std::size_t, core::Duration> free;
    for (const Fault& fault : faults) {
      EXPECT_LE(fault.end(), 300s - calm_end);
      if (!is_of_node(fault.kind)) continue;
      EXPECT_GE(fault.at, free[fault.whom]) << "two faults of one node at a time";
      free[fault.whom] = fault.end();
      EXPECT_TRUE(fault.whom != crowd.data() || fault.kind != Kind::wipe) << "this costs data";
      if (fault.kind == Kind::step_back || fault.kind == Kind::step_forward) clocks.hear(fault);
    }
  }
}

TEST_P(FaultsSchedule, DrawsEveryFaultOfItsStoreAndNoOther) {
  std::set<Kind> possible;
  const Chances& chances = chances_of(GetParam());
  for (const auto* some : {&chances.node, &chances.data, &chances.client}) {
    for (const Chance& chance : *some) possible.insert(chance.kind);
  }
  std::set<Kind> drawn;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const Fault& fault : make_schedule(seed, 300s, {.store = GetParam()})) drawn.insert(fault.kind);
  }
  EXPECT_EQ(drawn, possible);
}

// Then there is no server of the sessions.
TEST_P(FaultsSchedule, WithoutInstancesHitsOnlyWhatIsThere) {
  const Crowd crowd{.store = GetParam(), .instances = 0, .sessions = 0};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const Fault& fault : make_schedule(seed, 300s, crowd)) {
      if (is_of_node(fault.kind)) {
        EXPECT_LT(fault.whom, crowd.nodes);
      } else if (fault.whom < crowd.clients()) {
        EXPECT_NE(crowd.role(fault.whom), Role::instance);
      }
    }
  }
}

}  // namespace
}  // namespace tenure::faults
