// Instances of `tenure poll` that come, go and die, judged by the log of the server that they poll. P15–P18, P20–P22, T56.
#include <csignal>

#include "redis/grant_text.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using runtime::boot_now;

constexpr auto ttl = 2s;
using Ids = PollFleet::Ids;
using Visit = PollFleet::Visit;

// On one Redis, or on three of which most decide, with the data on one more.
class FleetLifeTest : public testing::TestWithParam<std::size_t> {
 protected:
  static PollFleetOptions with(int sessions) {
    return {.nodes = GetParam(), .apart = GetParam() > 1, .sessions = sessions, .words = {"--ttl", "2s"}};
  }
};
INSTANTIATE_TEST_SUITE_P(Nodes, FleetLifeTest, testing::Values(1, 3), testing::PrintToStringParamName());

TEST_P(FleetLifeTest, P15_OneTakesAllMoreShareItAndOnlyWhatMustMoves) {  // P20, P21, P22
  PollFleet fleet(with(9));
  fleet.start_all({"web-1"});
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  fleet.start("web-2");
  ASSERT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2"}); })) << fleet.told();
  const auto two = fleet.leases();
  fleet.start("web-3");
  ASSERT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2", "web-3"}); })) << fleet.told();
  const auto three = fleet.leases();
  for (const auto& [session, holder] : two) {
    const auto& now = three.at(session);
    EXPECT_TRUE(now == holder || (now.owner == "web-3" && now.token > holder.token)) << session;
  }
  EXPECT_TRUE(fleet.all_are_polled(boot_now())) << fleet.told();
  EXPECT_EQ(fleet.leases(), three) << "at rest nothing moves";
  fleet.judge();
}

TEST_P(FleetLifeTest, P16_WhatAKilledOneHadIsOwnedWithinTheTtlAndWhatAStoppedOneHadAtOnce) {  // P17
  PollFleet fleet(with(9));
  fleet.start_all({"web-1", "web-2", "web-3"});
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();

  const auto before = fleet.leases();
  const auto killed = boot_now();
  fleet["web-2"].send(SIGKILL);
  ASSERT_TRUE(fleet["web-2"].wait());
  // It starts anew, and has another id.
  auto again = start_tenure(Words{"poll", "--ttl", "2s"} + fleet.place());
  ASSERT_TRUE(wait_until([&] { return has(again->out(), "lease_acquired"); }, ttl + 2s)) << again->err();
  PollFleet::Leases after;
  ASSERT_TRUE(wait_until([&] {
    after = fleet.leases();
    const auto dead = [](const auto& it) { return it.second.owner == "web-2"; };
    return after.size() == 9 && std::ranges::none_of(after, dead);
  })) << fleet.told();
  EXPECT_LT(boot_now() - killed, ttl + 1s);
  for (const auto& [session, holder] : before) {
    if (holder.owner != "web-2") continue;
    EXPECT_GT(after.at(session).token, holder.token) << session;
  }
  // Each when it is next due: every four seconds, and the first time may have been just before that moment.
  ASSERT_TRUE(fleet.all_are_polled(killed + ttl + 1s, 8s)) << fleet.told();

  const auto stopped = boot_now();
  again->send(SIGTERM);
  fleet["web-3"].send(SIGTERM);
  ASSERT_TRUE(wait_until([&] { return fleet.owned_by({"web-1"}); })) << fleet.told();
  EXPECT_LT(boot_now() - stopped, 1500ms) << "nobody waited for a lease to run out";
  EXPECT_EQ(fleet["web-3"].exit_code(), 0);
  EXPECT_EQ(again->exit_code(), 0);
  EXPECT_TRUE(fleet.all_are_polled(boot_now(), 6s)) << fleet.told();
  fleet.judge();
}

TEST(FleetLife, P17_NobodyRenewsWhatADeadProcessHad) {
  PollFleet fleet({.sessions = 3, .words = {"--ttl", "2s"}});
  fleet.start_all({"web-1"});
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  fleet["web-1"].send(SIGKILL);
  ASSERT_TRUE(fleet["web-1"].wait());
  const std::string old = fleet.lease_value("s-1");
  auto again = start_tenure(Words{"poll", "--ttl", "2s"} + fleet.place());
  std::int64_t left = 2'000;
  while (fleet.lease_value("s-1") == old) {
    const auto now = fleet.nodes[0].command({"PTTL", "poll:lease:s-1"}).integer;
    EXPECT_LE(now, left);
    left = now;
    std::this_thread::sleep_for(5ms);
  }
  ASSERT_TRUE(wait_until([&] { return has(again->out(), R"("session": "s-1")"); }));
  const std::string id = redis::read_holder(fleet.lease_value("s-1")).owner;
  EXPECT_NE(id, "web-1");
  EXPECT_TRUE(has(again->out(), R"("instance": ")" + id + '"')) << again->out();
  fleet.judge();
}

TEST_P(FleetLifeTest, P18_FiveStartedTogetherGiveEachOfTenSessionsOneOwner) {
  PollFleet fleet(with(10));
  const Ids five{"web-1", "web-2", "web-3", "web-4", "web-5"};
  fleet.start_all(five);
  EXPECT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  EXPECT_TRUE(wait_until([&] { return fleet.shared_by(five); }));
  fleet.judge();
}

TEST(FleetLife, T56_ARollingRestartMovesEachSessionABoundedNumberOfTimes) {
  PollFleet fleet({.sessions = 12});
  Ids now{"web-1", "web-2", "web-3"};
  fleet.start_all(now);
  std::map<std::string, std::size_t> taken;
  for (const auto& session : fleet.sessions()) taken[session] = fleet.times_taken(session);
  for (int i = 0; i < 3; ++i) {
    const std::string old = now.front();
    now.push_back("web-" + std::to_string(i + 4));
    fleet.start(now.back());
    ASSERT_TRUE(wait_until([&] { return fleet.shared_by(now); })) << fleet.told();
    fleet[old].send(SIGTERM);
    now.erase(now.begin());
    ASSERT_TRUE(wait_until([&] { return fleet.shared_by(now); })) << fleet.told();
    EXPECT_EQ(fleet[old].exit_code(), 0);
  }
  std::size_t moves = 0;
  for (const auto& session : fleet.sessions()) {
    const std::size_t moved = fleet.times_taken(session) - taken.at(session);
    EXPECT_LE(moved, 6U) << session << " moved more than twice a restart";
    moves += moved;
  }
  EXPECT_LE(moves, 22U) << "18 must move: three for each that comes, three for each that goes";
  EXPECT_TRUE(fleet.all_are_polled(boot_now())) << fleet.told();
  fleet.judge();
}

TEST(FleetLife, F16_TenInstancesShareAThousandSessionsAndReplaceOneThatIsKilled) {  // P20, P23
  PollFleet fleet({.sessions = 1'000, .interval = 10s, .words = {"--ttl", "4s"}});
  Ids ids;
  for (int i = 1; i <= 10; ++i) ids.push_back("web-" + std::to_string(i));
  fleet.start_all(ids);
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago, 12s)) << fleet.polled(core::long_ago).size();
  const auto killed = boot_now();
  fleet["web-7"].send(SIGKILL);
  std::erase(ids, "web-7");
  ASSERT_TRUE(wait_until([&] { return fleet.owned_by(ids); }));
  EXPECT_LT(boot_now() - killed, 5s);
  EXPECT_TRUE(wait_until([&] { return fleet.shared_by(ids); }));
  EXPECT_TRUE(fleet.all_are_polled(killed, 15s)) << "each when it is due next";
  EXPECT_LT(boot_now() - killed, 16s) << "an interval, the TTL and a second";
  fleet.judge();
}

}  // namespace
}  // namespace tenure::test
