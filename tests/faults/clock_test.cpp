// Wall clocks of nodes that are set forward or back while leases are held. Redis expires by that clock: a step is noticed and
// told, the node not counted for new grants until all leases it had are over, and where it was too late for that the
// tokens keep what is written in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "core/lease/record.hpp"
#include "redis/scripts.hpp"
#include "runtime/boot_clock.hpp"
#include "support/clock_shim.hpp"
#include "support/lease_client.hpp"
#include "support/oracle.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;
using core::RefusalCode;
using runtime::boot_now;

constexpr core::Ttl cap{2'000};
constexpr auto key = "redlock:a";

// What a client was told, by whichever thread.
class Log {
 public:
  std::function<void(const LogLine&)> ear() {
    return [this](const LogLine& line) {
      const std::lock_guard lock(mutex_);
      all_ += line.message + '\n';
    };
  }
  bool tells(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    return all_.find(part) != std::string::npos;
  }
  std::string all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::string all_;
};

struct Step {
  std::string name;
  std::size_t nodes = 1;
  std::chrono::milliseconds by{};

  friend void PrintTo(const Step& step, std::ostream* out) { *out << step.name; }
};

class ClockTest : public ::testing::TestWithParam<Step> {
 protected:
  ClockTest() : nodes(options(), cap) {}

  std::vector<RedisServer::Options> options() const {
    std::vector<RedisServer::Options> each;
    for (std::size_t i = 0; i < GetParam().nodes; ++i) {
      each.push_back({.environment = clocks[i].environment()});
    }
    return each;
  }
  // The answer of a resource that looks at tokens only.
  std::int64_t write(core::Token token) {
    return nodes[0]
        .command({"EVAL", std::string(redis::publish_result_script.body), "1", "state:x", "stamp",
                  std::to_string(token), "result", ""})
        .integer;
  }

  std::array<ClockShim, 3> clocks;
  Nodes nodes;
};

class OneClockOfThree : public ClockTest {};
class AllClocks : public ClockTest {};

INSTANTIATE_TEST_SUITE_P(Steps, OneClockOfThree,
                         ::testing::Values(Step{"Forward", 3, 31s}, Step{"Back", 3, -31s}),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(Steps, AllClocks,
                         ::testing::Values(Step{"OneForward", 1, 31s}, Step{"OneBack", 1, -31s},
                                           Step{"ThreeForward", 3, 31s}, Step{"ThreeBack", 3, -31s}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(OneClockOfThree, F8_CostsNoLeaseIsToldAndItsGrantsDoNotCountForAWhile) {  // L5
  Log heard;
  Log heard_by_other;
  auto holder = client_of(nodes, {.on_log = heard.ear()});
  auto other = client_of(nodes, {.on_log = heard_by_other.ear()});
  auto lease = holder.acquire(key, wish(cap));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(other.acquire("redlock:b", wish(cap)));
  ASSERT_TRUE(wait_until([&] { return nodes.all_show(key, nodes.values(key).at(0)); }));
  const std::string value = nodes.values(key).at(0);
  // Clocks are looked at once a second.
  for (const core::Time begun = boot_now(); boot_now() < begun + 1s;) ASSERT_TRUE(is_renewed(*lease));

  const core::Time stepped = boot_now();
  clocks[1].step(GetParam().by);
  const std::string told = std::string("its clock has jumped by ") + (GetParam().by > 0s ? "3" : "-3");
  EXPECT_TRUE(wait_until([&] { return heard.tells(redis::to_text(nodes.addresses()[1]) + ": " + told); }))
      << heard.all();
  ASSERT_TRUE(wait_until([&] {
    EXPECT_TRUE(other.acquire("redlock:b", wish(cap))) << "two others are left";
    return heard_by_other.tells(told);
  })) << heard_by_other.all();
  EXPECT_TRUE(wait_until([&] { return nodes.all_show(key, value); }))
      << "where it was forgotten it is put back";

  // Without the third, this node would be needed.
  nodes[2].pause();
  const auto refused = other.acquire("redlock:c", wish(cap));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
  EXPECT_TRUE(std::ranges::any_of(refused.error().failures, [](const auto& it) {
    return it.node == 1 && it.failure.code == FailureCode::clock;
  }));
  EXPECT_TRUE(lease->held());
  const auto granted = other.acquire("redlock:c", wish(cap, 20s));
  nodes[2].resume();
  ASSERT_TRUE(granted);
  EXPECT_GE(boot_now() - stepped, core::quarantine_length(cap));
  EXPECT_TRUE(lease->held());
  EXPECT_FALSE(lease->lost().stop_requested());
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
}

TEST_P(AllClocks, F8_LeaveFencedWritesInOrder) {  // S2, S3, T33
  Log heard;
  auto holder = client_of(nodes, {.on_log = heard.ear()});
  auto lease = holder.acquire(key, wish(cap));
  ASSERT_TRUE(lease);
  EXPECT_EQ(write(lease->token()), 1);
  for (const core::Time begun = boot_now(); boot_now() < begun + 1s;) ASSERT_TRUE(is_renewed(*lease));

  for (auto& clock : clocks) clock.step(GetParam().by);
  // It has not seen what these clocks showed before.
  auto newcomer = client_of(nodes);
  if (GetParam().by > 0s) {
    const auto next = newcomer.acquire(key, wish(cap, 20s));
    ASSERT_TRUE(next) << "the key has expired before its holder knew";
    EXPECT_GT(next->token(), lease->token());
    EXPECT_EQ(write(next->token()), 1);
    EXPECT_EQ(write(lease->token()), -1);
    EXPECT_TRUE(wait_until([&] { return lease->lost().stop_requested(); })) << "at its next renewal";
    EXPECT_FALSE(lease->held());
    EXPECT_EQ(write(next->token()), 1);
  } else {
    const auto refused = newcomer.acquire(key, wish(cap));
    ASSERT_FALSE(refused);
    ASSERT_TRUE(is_renewed(*lease));
    EXPECT_TRUE(lease->held());
    EXPECT_EQ(write(lease->token()), 1);
    EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
    const auto next = newcomer.acquire(key, wish(cap));
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), lease->token()) << "tokens do not go back with the clock";
    EXPECT_EQ(write(next->token()), 1);
    EXPECT_EQ(write(lease->token()), -1);
  }
  // Who has seen both times says so when it looks again, and takes nothing of these nodes for a while.
  ASSERT_TRUE(wait_until([&] {
    [[maybe_unused]] const auto seen_too_late = holder.acquire("redlock:b", wish(cap));
    // Of all of them: a majority that it has not looked at yet would still be taken.
    return std::ranges::all_of(nodes.addresses(), [&](const redis::Address& address) {
      return heard.tells(redis::to_text(address) + ": its clock has jumped by ");
    });
  }));
  const auto refused = holder.acquire("redlock:c", wish(cap));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failures.at(0).failure.code, FailureCode::clock);
}

}  // namespace
}  // namespace tenure::test
