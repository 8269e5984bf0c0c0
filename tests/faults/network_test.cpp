// Networks that lose what goes one way, that deliver it late, or twice. TCP has no other loss than lateness: what was
// sent may arrive long after its sender has given up.
#include <gtest/gtest.h>

#include <deque>

#include "redis/reader.hpp"
#include "support/forwarder.hpp"
#include "support/lease_client.hpp"
#include "support/oracle.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;
using core::RefusalCode;

constexpr auto key = "redlock:a";

class NetworkTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  NetworkTest() {
    for (std::size_t i = 0; i < nodes.size(); ++i) wires.emplace_back(nodes[i].socket_path());
  }

  // Who sits behind the wires.
  runtime::Client behind() {
    std::vector<redis::Address> addresses;
    for (const auto& wire : wires) addresses.push_back(wire.address());
    return client_of(std::move(addresses), nodes.cap(), {.set = nodes.set()});
  }
  // A majority of them.
  template <class What>
  void on_most(const What& what) {
    for (std::size_t i = 0; i < nodes.size() / 2 + 1; ++i) what(wires[i]);
  }
  std::size_t requests_passed() {
    std::size_t bytes = 0;
    for (auto& wire : wires) {
      for (const auto& connection : wire.recorded()) bytes += connection.size();
    }
    return bytes;
  }
  // The holder is told in time and the next one granted it; then all that was held comes.
  void expect_nothing_revived(const std::function<void(Forwarder&)>& fault) {
    auto holder = behind();
    auto other = client_of(nodes);
    Oracle oracle;
    auto lease = holder.acquire(key, wish(1s));
    ASSERT_TRUE(lease);
    {
      const Watch watch(oracle, "the holder", *lease);
      ASSERT_TRUE(is_renewed(*lease));
      on_most(fault);
      ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }));
      EXPECT_EQ(lease->loss(), core::LossReason::not_renewed);
      const auto next = other.acquire(key, wish(1s, 20s));
      ASSERT_TRUE(next);
      EXPECT_GT(next->token(), lease->token());
      EXPECT_FALSE(lease->held());
      const Watch next_watch(oracle, "the next", *next);
      on_most([](Forwarder& wire) { wire.mend(); });
      ASSERT_TRUE(is_renewed(*next));
      ASSERT_TRUE(is_renewed(*next));
      EXPECT_FALSE(lease->held());
      EXPECT_TRUE(next->held());
      EXPECT_FALSE(next->lost().stop_requested());
    }
    oracle.judge();
  }

  Nodes nodes{GetParam()};
  std::deque<Forwarder> wires;
};

INSTANTIATE_TEST_SUITE_P(Nodes, NetworkTest, ::testing::Values(1, 3), ::testing::PrintToStringParamName());

TEST_P(NetworkTest, F6_WhoIsCutOffFromTheMajorityStopsInTimeAndTheOtherSideIsGrantedItThen) {  // S1, S4, T7
  auto holder = behind();
  auto other = client_of(nodes);
  Oracle oracle;
  auto lease = holder.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  {
    const Watch watch(oracle, "the holder", *lease);
    ASSERT_TRUE(is_renewed(*lease));
    on_most([](Forwarder& wire) { wire.cut(); });
    const auto next = other.acquire(key, wish(1s, 20s));
    ASSERT_TRUE(next);
    EXPECT_FALSE(lease->held());
    EXPECT_EQ(lease->loss(), core::LossReason::not_renewed);
    const Watch next_watch(oracle, "the next", *next);
    const auto refused = holder.acquire("redlock:b", wish(1s));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
    on_most([](Forwarder& wire) { wire.mend(); });
    EXPECT_TRUE(wait_until([&] { return holder.acquire("redlock:b", wish(1s)).has_value(); }));
    EXPECT_TRUE(next->held());
  }
  oracle.judge();
}

TEST_P(NetworkTest, F7_RenewalsThatComeLateProlongNothingOfAnother) {  // S5, S6
  expect_nothing_revived([](Forwarder& wire) { wire.hold_requests(); });
}

TEST_P(NetworkTest, F7_AnswersThatComeLateReviveNothing) {  // S6, T41
  expect_nothing_revived([](Forwarder& wire) { wire.hold_replies(); });
}

TEST_P(NetworkTest, F7_AnAcquireThatComesLateIsAGrantOfNobodyForATtlAtMost) {  // S10, T11
  auto client = behind();
  auto other = client_of(nodes);
  ASSERT_TRUE(client.acquire(key, wish(1s)));  // so that there are connections
  ASSERT_TRUE(wait_until([&] { return nodes.none_has(key); }));
  on_most([](Forwarder& wire) { wire.hold_requests(); });
  const std::size_t passed = requests_passed();
  const auto refused = client.acquire(key, wish(1s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
  EXPECT_EQ(refused.error().failures.at(0).failure.code, FailureCode::timed_out);
  EXPECT_EQ(refused.error().failures.at(0).failure.applied, core::Applied::perhaps);
  on_most([](Forwarder& wire) { wire.mend(); });
  ASSERT_TRUE(wait_until([&] { return requests_passed() > passed; })) << "what was held has come";
  const auto next = other.acquire(key, wish(1s, 5s));
  ASSERT_TRUE(next);
  EXPECT_TRUE(is_renewed(*next));
}

// What a middle box, or somebody who has listened, may do: say everything again.
void replay(const std::vector<std::string>& connections, const RedisServer& server) {
  for (const auto& bytes : connections) {
    RedisConnection connection(server.socket_path());
    redis::Reader commands;
    commands.feed(bytes);
    for (auto next = commands.next(); next && *next; next = commands.next()) {
      std::vector<std::string> command;
      for (const auto& item : (*next)->items) command.push_back(item.text);
      connection.command(command);
    }
  }
}

TEST_P(NetworkTest, F7_WhatIsSaidTwiceIsRefusedByItsValue) {  // S5, T3, T45
  auto first = behind();
  auto other = client_of(nodes);
  auto lease = first.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(is_renewed(*lease));
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
  ASSERT_TRUE(wait_until([&] { return nodes.none_has(key); }));
  const auto everything_again = [&] {
    for (std::size_t i = 0; i < nodes.size(); ++i) replay(wires[i].recorded(), nodes[i]);
  };

  auto next = other.acquire(key, wish(1s));
  ASSERT_TRUE(next);
  ASSERT_TRUE(wait_until([&] { return nodes.all_show(key, nodes.values(key).at(0)); }));
  const std::string value = nodes.values(key).at(0);
  everything_again();
  EXPECT_TRUE(nodes.all_show(key, value));
  ASSERT_TRUE(is_renewed(*next));
  EXPECT_TRUE(next->held());
  EXPECT_FALSE(next->lost().stop_requested());

  // Where nobody has it, it is a grant of nobody, which its own release ends.
  EXPECT_EQ(next->release().outcome, core::ReleaseOutcome::released);
  everything_again();
  EXPECT_TRUE(wait_until([&] { return nodes.none_has(key); }));
  const auto last = other.acquire(key, wish(1s, 5s));
  ASSERT_TRUE(last);
  EXPECT_GT(last->token(), next->token());
}

}  // namespace
}  // namespace tenure::test
