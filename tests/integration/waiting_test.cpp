// Who waits for a name gets it in its turn, at no cost while it waits, and leaves nothing when it does not.
#include <gtest/gtest.h>

#include <csignal>

#include "runtime/boot_clock.hpp"
#include "support/lease_client.hpp"
#include "support/lease_process.hpp"

namespace tenure::test {
namespace {

using core::RefusalCode;
using core::ReleaseOutcome;
using namespace std::chrono_literals;

// Longer than any test: what is got sooner was got by a call, not by waiting for the end of the TTL.
constexpr auto long_ttl = 60s;

constexpr auto key = "redlock:a";

bool in_queue(Nodes& nodes, std::size_t count) {
  return wait_until([&] { return nodes.enrolled(key) == count; });
}

bool nothing_left(Nodes& nodes) {
  return wait_until([&] { return nodes.none_has(key) && nodes.none_has(redis::Keyspace{}.queue(key)); });
}

// Somebody holds the name.
struct HeldOn {
  explicit HeldOn(std::size_t count) : nodes(count) {}

  Nodes nodes;
  runtime::Client first = client_of(nodes);
  runtime::Client second = client_of(nodes);
  tl::expected<runtime::Lease, core::Refusal> lease = first.acquire(key, wish(long_ttl));
};

class WaitingTest : public ::testing::TestWithParam<std::size_t>, protected HeldOn {
 protected:
  WaitingTest() : HeldOn(GetParam()) {}
  void SetUp() override { ASSERT_TRUE(lease); }
};

// Many who want it, each with a client of its own.
struct Crowd {
  Crowd(const Nodes& nodes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) clients.push_back(client_of(nodes));
  }
  void want(std::size_t i) { waiting.emplace_back(clients[i], key, wish(long_ttl, for_ever)); }
  void all_want() {
    for (std::size_t i = 0; i < clients.size(); ++i) want(i);
  }

  std::vector<runtime::Client> clients;
  std::vector<Wanting> waiting;
};

INSTANTIATE_TEST_SUITE_P(Nodes, WaitingTest, ::testing::Values(1, 3), ::testing::PrintToStringParamName());

TEST_P(WaitingTest, TheWaiterGetsItWhenTheHolderGivesItBack) {  // L1
  Wanting wanting(second, key, wish(long_ttl, for_ever));
  ASSERT_TRUE(in_queue(nodes, 1));
  EXPECT_FALSE(wanting.done());
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  {
    auto next = wanting.get();
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), lease->token());
  }
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(WaitingTest, ManyWaitersOfManyClientsAreAllServed) {  // L7
  constexpr std::size_t count = 8;
  Crowd crowd(nodes, count);
  crowd.all_want();
  ASSERT_TRUE(in_queue(nodes, count));
  lease->release();
  std::size_t served = 0;
  ASSERT_TRUE(wait_until([&] {
    for (auto& it : crowd.waiting) {
      if (!it.taken() && it.done() && it.get()) served += 1;
    }
    return served == count;
  })) << served;
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(WaitingTest, TwoThreadsOfOneClientBothGetIt) {  // T20
  std::array<std::future<core::Token>, 2> tokens;
  for (auto& token : tokens) {
    token = std::async(std::launch::async, [&] {
      const auto next = second.acquire(key, wish(long_ttl, for_ever));
      return next ? next->token() : core::Token{0};
    });
  }
  ASSERT_TRUE(in_queue(nodes, 2));
  lease->release();
  const core::Token one = tokens[0].get();
  const core::Token other = tokens[1].get();
  EXPECT_GT(std::min(one, other), lease->token());
  EXPECT_NE(one, other);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(WaitingTest, ACancelledWaiterLeavesNoKeyAndNoPlaceInTheQueue) {  // T13, L9
  Wanting wanting(second, key, wish(long_ttl, for_ever));
  ASSERT_TRUE(in_queue(nodes, 1));
  wanting.cancel();
  const auto refused = wanting.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::cancelled);
  EXPECT_TRUE(in_queue(nodes, 0));
  EXPECT_TRUE(lease->held());
  lease->release();
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(WaitingTest, AWaitThatTimedOutLeavesNoPlaceInTheQueue) {  // T16, L9
  Wanting wanting(second, key, wish(long_ttl, 2s));
  ASSERT_TRUE(in_queue(nodes, 1));
  const auto refused = wanting.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::waited);
  lease->release();
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(WaitingTest, AWaiterWhoseProcessIsGoneIsSkipped) {  // T28
  {
    Process dead(lease_process(nodes, {.key = key, .ttl = long_ttl, .wait = true, .all_nodes = true}));
    // On a majority is not enough: what it has not said yet it will not say any more.
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      ASSERT_TRUE(wait_until([&] { return tickets(nodes[node], key).size() == 1; }))
          << dead.out() << dead.err();
    }
    dead.send(SIGKILL);
    dead.exit_code();
  }
  Wanting wanting(second, key, wish(long_ttl, for_ever));
  ASSERT_TRUE(wait_until([&] { return tickets(nodes[0], key).size() == 2; }));
  ASSERT_TRUE(in_queue(nodes, 2));
  lease->release();
  const auto next = wanting.get();
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
  EXPECT_TRUE(in_queue(nodes, 0));
}

TEST_P(WaitingTest, WhoWaitsSendsNothing) {
  constexpr std::size_t count = 5;
  Crowd crowd(nodes, count);
  crowd.all_want();
  ASSERT_TRUE(in_queue(nodes, count));
  const auto commands = [&] {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const auto* name : {"evalsha", "eval", "time", "ping", "subscribe"})
        sum += calls_of(nodes[i], name);
    }
    return sum;
  };
  // The rounds that have put them there may still be on their way to the last of the nodes: then comes a second of silence.
  EXPECT_TRUE(wait_until(
      [&] {
        const auto before = commands();
        std::this_thread::sleep_for(1s);
        return commands() == before;
      },
      10s));
}

TEST(Waiting, WaitersAreServedInTheOrderOfTheirEnrolment) {  // L7
  constexpr std::size_t count = 8;
  HeldOn one(1);
  ASSERT_TRUE(one.lease);
  Crowd crowd(one.nodes, count);
  auto& waiting = crowd.waiting;
  for (std::size_t i = 0; i < count; ++i) {
    crowd.want(i);
    ASSERT_TRUE(in_queue(one.nodes, i + 1));
  }
  one.lease->release();
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(wait_until([&] { return waiting[i].done(); })) << i;
    for (std::size_t later = i + 1; later < count; ++later) EXPECT_FALSE(waiting[later].done()) << later;
    EXPECT_TRUE(waiting[i].get());  // and gives it back
  }
  EXPECT_TRUE(nothing_left(one.nodes));
}

TEST(Waiting, AHolderThatDiedIsReplacedWhenItsTimeHasRunOut) {  // L2
  Nodes nodes(1);
  auto client = client_of(nodes);
  Process dead(lease_process(nodes, {.key = key, .ttl = 2s}));
  ASSERT_TRUE(wait_until([&] { return dead.out().ends_with("\n"); })) << dead.err();
  Wanting wanting(client, key, wish(long_ttl, for_ever));
  ASSERT_TRUE(in_queue(nodes, 1));
  dead.send(SIGKILL);
  EXPECT_TRUE(wait_until([&] { return wanting.done(); }));
  EXPECT_TRUE(wanting.get());
}

}  // namespace
}  // namespace tenure::test
