// A fleet of processes whose Redis loses its data: owners go on with their tokens, and nobody else is granted anything until all
// that may have been granted has run out. B4, T49, F1, F9.
#include <csignal>

#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using runtime::boot_now;

class FleetDataGone : public testing::Test {
 protected:
  void SetUp() override {
    fleet.start_all({"web-1", "web-2"});
    ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
    before = fleet.leases();
  }
  void TearDown() override { fleet.judge(); }
  // The owners have put back what they had, and others can be granted something again.
  void expect_same_owners() {
    ASSERT_TRUE(wait_until([&] { return record_state(fleet.nodes[0]) == "quarantined"; })) << fleet.told();
    ASSERT_TRUE(wait_until([&] { return fleet.leases() == before; })) << fleet.told();
    const auto back = boot_now();
    ASSERT_TRUE(wait_until([&] { return record_state(fleet.nodes[0]) == "open"; })) << fleet.told();
    EXPECT_TRUE(fleet.all_are_polled(back, 6s)) << fleet.told();
    EXPECT_EQ(fleet.leases(), before);
  }

  explicit FleetDataGone(std::size_t nodes = 1)
      : fleet({.nodes = nodes,
               .apart = true,
               .sessions = 6,
               .words = {"--ttl", "2s"},
               .cap = core::Ttl(2'000)}) {}

  PollFleet fleet;
  PollFleet::Leases before;
};

class FleetDataGoneOnThree : public FleetDataGone {
 protected:
  FleetDataGoneOnThree() : FleetDataGone(3) {}
};

TEST_F(FleetDataGone, F9_FlushallOfTheLeasesLeavesEachSessionToItsOwner) {  // T49
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) fleet.nodes[i].command({"FLUSHALL"});
  expect_same_owners();
}

TEST_F(FleetDataGoneOnThree, F1_ARestartWithoutDataLeavesEachSessionToItsOwnerAndTheDeadOnesAreTakenLater) {
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) fleet.nodes[i].restart();
  expect_same_owners();
  // One that dies together with the data: what it had is taken when that can have run out everywhere.
  fleet["web-1"].send(SIGKILL);
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) fleet.nodes[i].restart();
  ASSERT_TRUE(wait_until([&] { return fleet.owned_by({"web-2"}); })) << fleet.told();
  for (const auto& [session, holder] : fleet.leases()) {
    if (before.at(session).owner != "web-1") continue;
    EXPECT_GT(holder.token, before.at(session).token) << session;
  }
}

TEST_F(FleetDataGone, F9_FlushallOfTheDataMovesNothingThatIsWrittenAgain) {
  fleet.data().command({"FLUSHALL"});
  fleet.add_sessions();
  const auto flushed = boot_now();
  ASSERT_TRUE(fleet.all_are_polled(flushed, 6s)) << fleet.told();
  EXPECT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2"}); })) << fleet.told();
}

TEST(FleetEverythingGone, F9_FlushallOfEverythingEndsAllPollingUntilThereAreSessionsAgain) {
  PollFleet fleet({.sessions = 4, .words = {"--ttl", "2s"}, .cap = core::Ttl(2'000)});
  fleet.start_all({"web-1", "web-2"});
  ASSERT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  ASSERT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2"}); })) << fleet.told();
  const auto released = [&] {
    return fleet.said("web-1", "lease_released") + fleet.said("web-2", "lease_released");
  };
  // Some have moved while they were shared.
  const auto released_before = released();
  const auto before = fleet.leases();
  fleet.nodes[0].command({"FLUSHALL"});
  fleet.say_sessions_changed();
  ASSERT_TRUE(wait_until([&] { return released() >= released_before + 4; }, 15s)) << fleet.told();
  const auto none = boot_now();
  fleet.add_sessions();
  fleet.say_sessions_changed();
  ASSERT_TRUE(fleet.all_are_polled(none, 15s)) << fleet.told();
  for (const auto& [session, holder] : fleet.leases()) {
    EXPECT_GT(holder.token, before.at(session).token) << "tokens never go back: " << session;
  }
  fleet.judge();
}

}  // namespace
}  // namespace tenure::test
