// A Redis that does not answer: stopped, or busy with somebody's script. The holder stops in time.
#include <gtest/gtest.h>

#include "runtime/boot_clock.hpp"
#include "support/lease_client.hpp"
#include "support/oracle.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;
using core::RefusalCode;
using runtime::boot_now;

constexpr auto key = "redlock:a";

// How long before its deadline the holder is told.
class Told {
 public:
  explicit Told(const runtime::Lease& lease)
      : on_lost_(lease.lost(), [this, &lease] { early_.set_value(lease.deadline() - boot_now()); }) {}

  void expect_in_time() {
    auto early = early_.get_future();
    ASSERT_EQ(early.wait_for(20s), std::future_status::ready);
    // A grace was planned; a busy machine may eat some of it, never all.
    EXPECT_GT(early.get(), 0ms);
  }

 private:
  std::promise<core::Duration> early_;
  std::stop_callback<std::function<void()>> on_lost_;
};

class HangTest : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Nodes, HangTest, ::testing::Values(1, 3), ::testing::PrintToStringParamName());

TEST_P(HangTest, F3_ARedisThatHangsPastTheTtlMakesTheHolderStopAndLateRepliesReviveNothing) {  // T42, S6
  Nodes nodes(GetParam());
  std::atomic<bool> told_uncertain = false;
  auto client = client_of(nodes, {.on_log = [&](const LogLine& line) {
                            if (line.event == "lease_uncertain") told_uncertain = true;
                          }});
  auto other = client_of(nodes);
  auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  Oracle oracle;
  {
    const Watch watch(oracle, "the holder", *lease);
    Told told(*lease);
    for (std::size_t i = 0; i < nodes.size() / 2 + 1; ++i) nodes[i].pause();
    told.expect_in_time();
    EXPECT_EQ(lease->loss(), core::LossReason::not_renewed);
    EXPECT_TRUE(wait_until([&] { return told_uncertain.load(); }));
    ASSERT_TRUE(wait_until([&] { return !lease->held(); }));
    for (std::size_t i = 0; i < nodes.size() / 2 + 1; ++i) nodes[i].resume();
    // The watch looks on while the servers answer what they were asked before.
    const auto next = other.acquire(key, wish(1s, 20s));
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), lease->token());
    EXPECT_FALSE(lease->held());
    const Watch next_watch(oracle, "the next", *next);
    lease->release();  // of what the node that did not hang may still show
    EXPECT_TRUE(next->held());
  }
  oracle.judge();
}

TEST(Hang, F13_WhileSomebodysScriptBlocksRedisOutcomesAreUnknownAndTheHolderStopsInTime) {  // S10
  Nodes nodes(1);
  RedisServer& server = nodes[0];
  auto client = client_of(nodes);
  auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  Told told(*lease);
  // Silent for two seconds, then it says BUSY.
  server.command({"CONFIG", "SET", "lua-time-limit", "2000"});
  RedisConnection somebody(server.socket_path());
  somebody.send({"EVAL", "while true do end", "0"});

  std::vector<core::Failure> failures;
  const auto busy = [&] {
    const auto refused = client.acquire("redlock:b", wish(1s));
    if (refused) return false;
    EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
    failures.push_back(refused.error().failures.at(0).failure);
    return failures.back().code == FailureCode::busy;
  };
  ASSERT_TRUE(wait_until(busy, 20s));
  EXPECT_EQ(failures.front().code, FailureCode::timed_out);
  EXPECT_EQ(failures.back().applied, core::Applied::no);
  told.expect_in_time();
  EXPECT_TRUE(wait_until([&] { return !lease->held(); }));

  EXPECT_EQ(RedisConnection(server.socket_path()).command({"SCRIPT", "KILL"}), redis::Value::status("OK"));
  EXPECT_TRUE(wait_until([&] {
    const auto next = client.acquire(key, wish(1s));
    return next && next->token() > lease->token();
  }));
  EXPECT_FALSE(lease->held());
  // What was asked for while it was silent leaves nothing behind (T11).
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:b"); }));
}

// As with the settings that Redis comes with: silent for five seconds, then it says BUSY.
TEST(Hang, F13_AfterAScriptThatBlockedRedisForSixSecondsTheNextIsGrantedIt) {  // S1, S11
  Nodes nodes(1);
  auto client = client_of(nodes);
  auto other = client_of(nodes);
  auto lease = client.acquire(key, wish(2s));
  ASSERT_TRUE(lease);
  Oracle oracle;
  {
    const Watch watch(oracle, "the holder", *lease);
    Told told(*lease);
    Wanting wanting(other, key, wish(2s, for_ever));
    ASSERT_TRUE(wait_until([&] { return nodes.enrolled(key) == 1; }));
    RedisConnection somebody(nodes[0].socket_path());
    somebody.send({"EVAL", "while true do end", "0"});
    const core::Time blocked = boot_now();
    told.expect_in_time();
    ASSERT_TRUE(wait_until([&] { return !lease->held(); }));
    ASSERT_TRUE(wait_until([&] { return boot_now() > blocked + 6s; }));
    EXPECT_FALSE(wanting.done());
    EXPECT_EQ(RedisConnection(nodes[0].socket_path()).command({"SCRIPT", "KILL"}),
              redis::Value::status("OK"));
    const auto next = wanting.get();
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), lease->token());
    const Watch next_watch(oracle, "the next", *next);
    ASSERT_TRUE(is_renewed(*next));
  }
  oracle.judge();
}

TEST(Hang, F13_AnAcquireThatMayHaveBeenAppliedSaysSo) {  // S10
  Nodes nodes(1);
  auto client = client_of(nodes);
  ASSERT_TRUE(client.acquire(key, wish(1s)));  // so that there is a connection
  nodes[0].pause();
  const auto refused = client.acquire(key, wish(1s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failures.at(0).failure.code, FailureCode::timed_out);
  EXPECT_EQ(refused.error().failures.at(0).failure.applied, core::Applied::perhaps);
  nodes[0].resume();
  EXPECT_TRUE(wait_until([&] { return nodes.none_has(key); }));
}

}  // namespace
}  // namespace tenure::test
