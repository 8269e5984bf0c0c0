#include "poll/conductor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "runtime/wall_clock.hpp"
#include "support/played_results.hpp"
#include "support/polling.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using namespace poll;
using Kind = PollEvent::Kind;

// So long that each session is polled once in a test.
constexpr auto interval = 24h;

// A conductor between a fleet, sessions and a store that the test plays. The session a was polled for the slot before this one,
// and is due; b was polled for this one.
class ConductorTest : public ::testing::Test {
 protected:
  ConductorTest() {
    fleet_.gives_all = false;
    CallbackPoll work{.call = [this](const auto&, const auto&, const auto&) {
      polls_ += 1;
      return PollOutcome{.ok = true, .body = "hello"};
    }};
    PollerOptions options;
    options.on_event = [this](const PollEvent& event) { hear(event); };
    conductor_ = std::make_shared<Conductor>(fleet_, std::move(work), std::move(options), results_.store());
    fleet_.on_event([weak = std::weak_ptr(conductor_)](const FleetEvent& event) {
      if (const auto conductor = weak.lock()) conductor->on_fleet(event);
    });
    fleet_.lasts = 10s;
    const WallTime now{Milliseconds(runtime::wall_now_ms())};
    results_.set_slot("a", Cadence("a", interval).slot_at(now) - interval);
    results_.set_slot("b", Cadence("b", interval).slot_at(now));
    sessions_.set({.good = {{.id = "a", .address = "x", .interval = interval},
                            {.id = "b", .address = "x", .interval = interval}}});
    conductor_->discover(std::make_shared<NamedSource>(sessions_));
  }
  ~ConductorTest() override {
    conductor_->stop_polls();
    fleet_.stop({});
    conductor_->finish();
  }

  void hear(const PollEvent& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  std::vector<std::string> refused() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> details;
    for (const auto& event : events_) {
      if (event.kind == Kind::refused) details.push_back(event.detail);
    }
    return details;
  }

  Named sessions_;
  PlayedResults results_;
  std::mutex mutex_;
  std::vector<PollEvent> events_;
  std::atomic<int> polls_ = 0;
  FakeFleet fleet_;
  std::shared_ptr<Conductor> conductor_;  // goes first, and then the fleet, which may still tell it things
};

TEST_F(ConductorTest, AResultComesWithItsLeaseAndItsSlot) {
  fleet_.give("a", 7);
  ASSERT_TRUE(wait_until([&] { return results_.stored().size() == 1; }));
  const Publish result = results_.stored().front();
  EXPECT_EQ(result.session, "a");
  EXPECT_EQ(result.lease.key, "poll:lease:a");
  EXPECT_EQ(result.lease.value, "here#0123456789abcdef#7");
  EXPECT_EQ(result.lease.token, 7U);
  EXPECT_TRUE(result.text.starts_with("{\"session\": \"a\", \"instance\": \"here\", \"token\": 7, "))
      << result.text;
  EXPECT_EQ(result.slot, Cadence("a", interval).slot_at(result.at));
  EXPECT_EQ(polls_, 1);
}

TEST_F(ConductorTest, ASlotThatTheStoreKnowsIsNotPolledAgain) {
  fleet_.give("b");
  fleet_.give("a");
  ASSERT_TRUE(wait_until([&] { return !results_.stored().empty(); }));
  EXPECT_EQ(results_.stored().front().session, "a");
  EXPECT_EQ(polls_, 1);
}

TEST_F(ConductorTest, ASessionIsGivenBackOnlyWhenItsResultIsStored) {
  std::atomic<int> tried = 0;
  results_.answer([&](const auto&) {
    tried += 1;
    return NoAnswer{"it is away"};
  });
  fleet_.give("a");
  ASSERT_TRUE(wait_until([&] { return tried >= 1; }));
  fleet_.take("a", SessionEnd::rebalance);
  ASSERT_TRUE(wait_until([&] { return tried >= 3; }));
  EXPECT_FALSE(fleet_.is_free("a"));
  results_.be_back();
  EXPECT_TRUE(wait_until([&] { return fleet_.is_free("a"); }));
  EXPECT_EQ(results_.stored().size(), 1U);
}

TEST_F(ConductorTest, AResultThatTheStoreRefusesIsTold) {
  results_.answer([](const auto&) { return Published::lease_gone; });
  fleet_.give("a");
  ASSERT_TRUE(wait_until([&] { return !refused().empty(); }));
  EXPECT_EQ(refused(), std::vector<std::string>{"the lease has passed on"});
  EXPECT_EQ(conductor_->counts().refused, 1U);
}

}  // namespace
}  // namespace tenure::test
