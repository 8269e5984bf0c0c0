// Keys that disappear under a live connection, scripts that do, and memory that has run out.
#include <gtest/gtest.h>

#include "support/lease_client.hpp"
#include "support/oracle.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;
using core::LossReason;
using core::RefusalCode;
using core::ReleaseOutcome;

constexpr core::Ttl cap{2'000};
constexpr auto key = "redlock:a";

// Also on the nodes that the grant did not wait for.
std::string value_everywhere(Nodes& nodes) {
  EXPECT_TRUE(wait_until([&] {
    const auto value = nodes.values(key).at(0);
    return !value.empty() && nodes.all_show(key, value);
  }));
  return nodes.values(key).at(0);
}

class DataGoneTest : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Nodes, DataGoneTest, ::testing::Values(1, 3), ::testing::PrintToStringParamName());

TEST_P(DataGoneTest, F9_AfterFlushallTheHolderPutsItsLeaseBackAndNobodyElseGetsIt) {  // S1, T49
  Nodes nodes(GetParam(), cap);
  auto holder = client_of(nodes);
  auto other = client_of(nodes);
  Oracle oracle;
  auto lease = holder.acquire(key, wish(cap));
  ASSERT_TRUE(lease);
  const std::string value = value_everywhere(nodes);
  {
    const Watch watch(oracle, "the holder", *lease);
    Wanting wanting(other, key, wish(cap, for_ever));
    ASSERT_TRUE(wait_until([&] { return nodes.enrolled(key) == 1; }));
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"FLUSHALL"});
    ASSERT_TRUE(wait_until([&] { return nodes.all_show(key, value); }));
    EXPECT_EQ(record_state(nodes[0]), "quarantined");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      ASSERT_TRUE(wait_until([&] { return record_state(nodes[i]) == "open"; })) << i;
    }
    ASSERT_TRUE(is_renewed(*lease));
    EXPECT_TRUE(lease->held());
    EXPECT_FALSE(lease->lost().stop_requested());
    EXPECT_TRUE(nodes.all_show(key, value));
    EXPECT_FALSE(wanting.done());
    EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
    const auto next = wanting.get();
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), lease->token());
    const Watch next_watch(oracle, "the next", *next);
    ASSERT_TRUE(is_renewed(*next));
  }
  oracle.judge();
}

TEST_P(DataGoneTest, F9_AKeyDeletedByHandIsALossAtTheNextRenewal) {  // T33, T17
  Nodes nodes(GetParam());
  auto client = client_of(nodes);
  auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  value_everywhere(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"DEL", key});
  ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }))
      << "held " << lease->held() << ", and the first node shows " << nodes.values(key).at(0);
  EXPECT_EQ(lease->loss(), LossReason::missing);
  EXPECT_FALSE(lease->held());
  // With several nodes one may have been healed before most of them said that it is gone.
  const auto outcome = lease->release().outcome;
  EXPECT_TRUE(outcome == ReleaseOutcome::expired || nodes.size() > 1);
  EXPECT_TRUE(nodes.none_has(key));
}

TEST(DataGone, F9_AKeyDeletedOnOneOfThreeNodesIsPutBackAndNothingIsLost) {  // L5
  Nodes nodes(3);
  auto client = client_of(nodes);
  const auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  const std::string value = value_everywhere(nodes);
  nodes[1].command({"DEL", key});
  EXPECT_TRUE(wait_until([&] { return nodes.all_show(key, value); }));
  EXPECT_FALSE(lease->lost().stop_requested());
  EXPECT_TRUE(lease->held());
}

TEST_P(DataGoneTest, F9_AKeyTakenByAnotherAfterItWasDeletedIsALossToo) {  // T33, S2
  Nodes nodes(GetParam());
  auto client = client_of(nodes);
  auto other = client_of(nodes);
  auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  value_everywhere(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"DEL", key});
  const auto next = other.acquire(key, wish(1s));
  // A renewal may have come in between; then the loss was told before.
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
  ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }));
  EXPECT_FALSE(lease->held());
  EXPECT_NE(lease->release().outcome, ReleaseOutcome::released);
  EXPECT_TRUE(next->held());
}

TEST_P(DataGoneTest, F11_AtMaxmemoryRenewAndReleaseWorkAndNewGrantsGetAClearError) {
  Nodes nodes(GetParam());
  auto client = client_of(nodes);
  auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"CONFIG", "SET", "maxmemory", "1"});
  ASSERT_TRUE(is_renewed(*lease));
  ASSERT_TRUE(is_renewed(*lease));
  const auto refused = client.acquire("redlock:b", wish(1s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
  EXPECT_GT(refused.error().failures.size(), nodes.size() / 2);
  for (const auto& it : refused.error().failures) {
    EXPECT_EQ(it.failure.code, FailureCode::full) << it.failure.detail;
    EXPECT_EQ(it.failure.applied, core::Applied::no);
  }
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  EXPECT_TRUE(nodes.none_has(key));
}

TEST_P(DataGoneTest, F11_AfterARestartAtMaxmemoryTheHolderStillPutsItsLeaseBack) {  // T32
  Nodes nodes(GetParam(), cap, {.arguments = {"--maxmemory-policy", "noeviction"}});
  auto client = client_of(nodes);
  auto lease = client.acquire(key, wish(cap));
  ASSERT_TRUE(lease);
  const std::string value = value_everywhere(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].command({"CONFIG", "SET", "maxmemory", "1"});
    nodes[i].command({"FLUSHALL"});
  }
  EXPECT_TRUE(wait_until([&] { return nodes.all_show(key, value); }));
  EXPECT_TRUE(lease->held());
  EXPECT_TRUE(wait_until([&] { return record_state(nodes[0]) == "open"; }));
}

TEST_P(DataGoneTest, F12_AfterScriptFlushEverythingGoesOn) {  // T29
  Nodes nodes(GetParam());
  auto client = client_of(nodes);
  const auto held = client.acquire(key, wish(1s));
  ASSERT_TRUE(held);
  std::atomic<bool> over = false;
  std::jthread flusher([&] {
    while (!over) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        RedisConnection(nodes[i].socket_path()).command({"SCRIPT", "FLUSH"});
      }
    }
  });
  const core::Time begun = held->deadline();
  while (held->held() && held->deadline() < begun + 1s) {
    auto lease = client.acquire("redlock:b", wish(10s));
    ASSERT_TRUE(lease) << (over = true);
    EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released) << (over = true);
  }
  over = true;
  EXPECT_TRUE(held->held());
  EXPECT_FALSE(held->lost().stop_requested());
}

TEST_P(DataGoneTest, F12_AWaiterIsServedThroughScriptFlush) {  // T29, T26
  Nodes nodes(GetParam());
  auto holder = client_of(nodes);
  auto other = client_of(nodes);
  auto lease = holder.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  Wanting wanting(other, key, wish(1s, for_ever));
  ASSERT_TRUE(wait_until([&] { return nodes.enrolled(key) == 1; }));
  const auto flush = [&] {
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"SCRIPT", "FLUSH"});
  };
  flush();
  ASSERT_TRUE(is_renewed(*lease));
  EXPECT_FALSE(wanting.done());
  flush();
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  const auto next = wanting.get();
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
}

// Doctor refuses such a policy (DoctorTest.F10_…); whoever uses it all the same is told.
TEST_P(DataGoneTest, F10_WhoseLeaseIsEvictedIsTold) {  // T33
  Nodes nodes(GetParam(), cap_default, {.arguments = {"--maxmemory-policy", "volatile-ttl"}});
  auto client = client_of(nodes);
  auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  value_everywhere(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"CONFIG", "SET", "maxmemory", "1"});
  ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }));
  EXPECT_EQ(lease->loss(), LossReason::missing);
  EXPECT_FALSE(lease->held());
  EXPECT_EQ(nodes[0].command({"INFO", "stats"}).text.find("evicted_keys:0\r"), std::string::npos);
}

// Here the record goes, too: as after any loss of data nobody new is granted anything.
TEST_P(DataGoneTest, F10_WhereEverythingIsEvictedThereAreNeverTwoOwners) {  // S1, T49
  Nodes nodes(GetParam(), cap, {.arguments = {"--maxmemory-policy", "allkeys-random"}});
  auto holder = client_of(nodes);
  auto other = client_of(nodes);
  Oracle oracle;
  auto lease = holder.acquire(key, wish(cap));
  ASSERT_TRUE(lease);
  value_everywhere(nodes);
  {
    const Watch watch(oracle, "the holder", *lease);
    Wanting wanting(other, key, wish(cap, for_ever));
    ASSERT_TRUE(wait_until([&] { return wanting.waits(); }));
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"CONFIG", "SET", "maxmemory", "1"});
    ASSERT_TRUE(wait_until([&] { return nodes.none_has("tenure:record"); }));
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"CONFIG", "SET", "maxmemory", "0"});
    ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested() || is_renewed(*lease); }));
    lease->release();
    const auto next = wanting.get();
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), lease->token());
    const Watch next_watch(oracle, "the next", *next);
    ASSERT_TRUE(is_renewed(*next));
  }
  oracle.judge();
}

}  // namespace
}  // namespace tenure::test
