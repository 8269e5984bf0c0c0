// A fleet of processes whose Redis is away, whose network is cut, or who stand still themselves: polling pauses, goes on by
// itself, and nothing is polled twice. P12, B3, T40, F3, F4, F6.
#include <csignal>

#include "redis/scripts.hpp"
#include "support/forwarder.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using runtime::boot_now;
using Visit = PollFleet::Visit;

// A majority of them.
template <class What>
void on_most(PollFleet& fleet, const What& what) {
  for (std::size_t i = 0; i < fleet.nodes.size() / 2 + 1; ++i) what(fleet.nodes[i]);
}

// Visits that began within.
std::size_t visits(const PollFleet& fleet, core::Time from, core::Time until) {
  const auto all = fleet.target->visits();
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const Visit& it) { return it.began > from && it.began < until; }));
}

TEST(FleetAway, P12_ARedisThatHangsForLessThanTheTtlCostsPollsAndNoSession) {
  PollFleet fleet({.sessions = 6, .words = {"--ttl", "10s", "--renew", "1s"}});
  fleet.start_all({"web-1", "web-2"});
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  const auto before = fleet.leases();
  on_most(fleet, [](RedisServer& it) { it.pause(); });
  const auto all_uncertain = [&] {
    return fleet.said("web-1", "lease_uncertain") + fleet.said("web-2", "lease_uncertain") >= 6;
  };
  EXPECT_TRUE(wait_until(all_uncertain)) << fleet.told();
  const auto uncertain = boot_now();
  std::this_thread::sleep_for(3s);  // it hangs for five seconds altogether
  const auto resumed = boot_now();
  on_most(fleet, [](RedisServer& it) { it.resume(); });
  EXPECT_EQ(visits(fleet, uncertain + 50ms, resumed), 0U) << "nobody polls what may be another's";
  ASSERT_TRUE(fleet.all_are_polled(resumed)) << fleet.told();
  EXPECT_EQ(fleet.leases(), before) << "each goes on with its token";
  fleet.judge();
}

TEST(FleetAway, P12_MostNodesThatHangForLongerThanTheTtlPauseAllAndAreWaitedFor) {  // F3
  PollFleet fleet({.nodes = 3, .apart = true, .sessions = 6, .words = {"--ttl", "2s"}});
  fleet.start_all({"web-1", "web-2"});
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  const auto before = fleet.leases();
  on_most(fleet, [](RedisServer& it) { it.pause(); });
  const auto all_ended = [&] {
    return fleet.said("web-1", "lease_released") + fleet.said("web-2", "lease_released") >= 6;
  };
  EXPECT_TRUE(wait_until(all_ended)) << fleet.told();
  const auto ended = boot_now();
  std::this_thread::sleep_for(1s);
  const auto resumed = boot_now();
  on_most(fleet, [](RedisServer& it) { it.resume(); });
  EXPECT_EQ(visits(fleet, ended, resumed), 0U) << "nothing is owned, so nothing is polled";
  ASSERT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2"}); })) << fleet.told();
  ASSERT_TRUE(fleet.all_are_polled(resumed)) << fleet.told();
  for (const auto& [session, holder] : fleet.leases())
    EXPECT_GT(holder.token, before.at(session).token) << session;
  fleet.judge();
}

class StoppedInstance : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Nodes, StoppedInstance, testing::Values(1, 3), testing::PrintToStringParamName());

TEST_P(StoppedInstance, F4_PollsNothingByALeaseThatRanOutAndItsLateResultIsRefused) {  // T40, B3
  PollFleet fleet({.nodes = GetParam(),
                   .apart = GetParam() > 1,
                   .sessions = 4,
                   .path = "/slow/200",
                   .words = {"--ttl", "2s"}});
  fleet.start_all({"web-1", "web-2"});
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  // In the middle of a poll.
  std::string session;
  ASSERT_TRUE(wait_until([&] {
    const Visit last = fleet.target->visits().back();
    session = last.session;
    return last.instance == "web-1" && !last.ended;
  })) << fleet.told();
  fleet["web-1"].send(SIGSTOP);
  const std::string old = fleet.lease_value(session);
  const auto before = fleet.leases();
  ASSERT_TRUE(wait_until([&] { return fleet.owned_by({"web-2"}); })) << fleet.told();
  const auto token_stored = [&](const std::string& id) {
    return std::stoull(fleet.data().command({"HGET", "state:" + id, "token"}).text);
  };
  ASSERT_TRUE(wait_until([&] { return token_stored(session) > before.at(session).token; })) << fleet.told();

  const auto woken = boot_now();
  fleet["web-1"].send(SIGCONT);
  ASSERT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2"}); })) << fleet.told();
  ASSERT_TRUE(fleet.all_are_polled(woken)) << fleet.told();
  const auto stale = fleet.polled(woken, [&](const Visit& visit) {
    return visit.instance == "web-1" && visit.token <= before.at(visit.session).token;
  });
  EXPECT_TRUE(stale.empty()) << *stale.begin() << " was polled with a lease that had run out";
  EXPECT_GT(token_stored(session), before.at(session).token);
  // What it would have stored, had it been quicker to say so than to see that it may not.
  const auto split = old.rfind('#') + 1;
  const auto late =
      fleet.data().command({"EVAL", std::string(redis::publish_result_script.body), "1", "state:" + session,
                            old.substr(0, split), old.substr(split), "late", ""});
  EXPECT_EQ(late, redis::Value::of(-1));
  EXPECT_FALSE(has(fleet.data().command({"HGET", "state:" + session, "result"}).text, "late"));
  fleet.judge();
}

TEST(FleetAway, P10_ALeaseDeletedByHandEndsThePollInFlight) {  // T33
  PollFleet fleet({.sessions = 1, .path = "/hang", .words = {"--ttl", "1s", "--timeout", "30s"}});
  fleet.start_all({"web-1"});
  ASSERT_TRUE(wait_until([&] { return fleet.target->visits().size() == 1; })) << fleet.told();
  fleet.nodes[0].command({"DEL", "poll:lease:s-1"});
  const auto deleted = boot_now();
  ASSERT_TRUE(wait_until([&] { return fleet.target->visits()[0].ended.has_value(); })) << fleet.told();
  EXPECT_LT(*fleet.target->visits()[0].ended - deleted, 1s) << "as the next renewal shows";
  EXPECT_TRUE(wait_until([&] { return fleet.said("web-1", "lease_acquired") == 2; })) << fleet.told();
  fleet.judge();
}

TEST(FleetAway, P13_APollThatTakesLongerThanTheTtlKeepsItsLease) {
  PollFleet fleet({.sessions = 2, .path = "/slow/2500", .words = {"--ttl", "1s"}});
  fleet.start_all({"web-1", "web-2"});
  const auto before = fleet.leases();
  const auto all_answered = [&] {
    const auto visits = fleet.target->visits();
    return std::ranges::count_if(visits, &Visit::answered) >= 2;
  };
  ASSERT_TRUE(wait_until(all_answered)) << fleet.told();
  EXPECT_EQ(fleet.leases(), before);
  fleet.judge();
}

TEST(FleetAway, F6_WhoIsCutOffStopsPollingBeforeOthersBeginAndComesBackByItself) {
  PollFleet fleet({.sessions = 6, .words = {"--ttl", "2s"}});
  Forwarder wire(fleet.nodes[0].socket_path());
  fleet.start("web-1", fleet.place(Words{redis::to_text(wire.address())}));
  fleet.start("web-2");
  const auto both = [&] { return fleet.shared_by({"web-1", "web-2"}); };
  ASSERT_TRUE(wait_until(both)) << fleet.told();
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  for (const auto& cut : {&Forwarder::cut, &Forwarder::hold}) {
    const auto before = boot_now();
    (wire.*cut)();
    ASSERT_TRUE(wait_until([&] { return fleet.owned_by({"web-2"}); })) << fleet.told();
    EXPECT_LT(boot_now() - before, 3s);
    EXPECT_TRUE(wait_until([&] { return fleet.said("web-1", "lease_released") >= 3; })) << fleet.told();
    const auto alone = boot_now();
    EXPECT_TRUE(wait_until([&] { return fleet.polled(alone).size() >= 3; })) << fleet.told();
    EXPECT_TRUE(fleet.polled(alone, [](const Visit& visit) { return visit.instance == "web-1"; }).empty());
    wire.mend();
    ASSERT_TRUE(wait_until(both)) << fleet.told();
  }
  fleet.judge();
}

TEST(FleetAway, WhileTheDataIsAwayTheLeasesStayWithTheirOwners) {
  PollFleet fleet({.apart = true, .sessions = 6, .words = {"--ttl", "2s"}});
  fleet.start_all({"web-1", "web-2"});
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  const auto before = fleet.leases();
  fleet.data().pause();
  const auto paused = boot_now();
  EXPECT_TRUE(fleet.all_are_polled(paused, 6s)) << "polls go on\n" << fleet.told();
  EXPECT_EQ(fleet.leases(), before);
  fleet.data().resume();
  const auto resumed = boot_now();
  ASSERT_TRUE(fleet.all_are_polled(resumed, 6s)) << fleet.told();
  EXPECT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2"}); })) << fleet.told();
  fleet.judge();
}

}  // namespace
}  // namespace tenure::test
