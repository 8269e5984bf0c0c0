// How much memory a held lease costs, as malloc counts it.
#include <gtest/gtest.h>
#include <malloc.h>

#include "core/lease/tenant.hpp"
#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

constexpr std::uint64_t count = 10'000;

std::size_t bytes_in_use() { return mallinfo2().uordblks; }

std::string key(std::uint64_t i) { return "poll:lease:session-" + std::to_string(10'000'000'000 + i); }
Token token(std::uint64_t i) { return 1'700'000'000'000'000 + i; }

constexpr auto owner = "host-17.example.org-4711-5f3a";

std::size_t bytes_per_lease(std::size_t nodes) {
  Desk desk;
  const Timing timing = timing_of();
  std::vector<NodeIndex> granted;
  for (NodeIndex node = 0; node < nodes; ++node) granted.push_back(node);
  const std::size_t before = bytes_in_use();
  Keeper keeper(owner, nodes);
  for (std::uint64_t i = 1; i <= count; ++i) {
    keeper.keep({LeaseId{i}, key(i), desk.random.next(), token(i), timing, at(0s), granted}, at(0s),
                desk.random);
  }
  return (bytes_in_use() - before) / count;
}

TEST(Memory, TheKeeperSpendsAtMostTwoHundredAndFiftyBytesALease) {
  ASSERT_EQ(key(1).size(), 30U);
  const std::size_t each = bytes_per_lease(1);
  if (each == 0) GTEST_SKIP() << "a sanitizer's malloc does not count";
  RecordProperty("bytes_per_lease", static_cast<int>(each));
  EXPECT_GE(each, 100U);
  EXPECT_LE(each, 250U);
}

// A seat on each node: 8 bytes, in a block of their own.
TEST(Memory, EveryFurtherNodeAddsASeat) {
  const std::size_t one = bytes_per_lease(1);
  if (one == 0) GTEST_SKIP() << "a sanitizer's malloc does not count";
  EXPECT_LE(bytes_per_lease(3), one + 32);
  EXPECT_LE(bytes_per_lease(5), one + 48);
}

// The whole client: the keeper's share and what is kept for the handle.
TEST(Memory, AClientSpendsAtMostThreeHundredBytesALeaseAndGivesAllBack) {
  const std::size_t before = bytes_in_use();
  Tenant tenant({.owner = owner}, Random(1));
  std::vector<LeaseId> leases;
  leases.reserve(count);
  const std::size_t empty = bytes_in_use();
  for (std::uint64_t i = 1; i <= count; ++i) {
    Actions actions;
    tenant.acquire({.key = key(i), .timing = timing_of()}, at(0s), actions);
    for (const Action& action : Actions(actions)) {
      const auto& send = std::get<Send>(action);
      const bool clock = std::holds_alternative<ClockRequest>(send.request);
      tenant.on_reply(send.id, clock ? Reply(NodeClock{1h}) : Reply(Granted{token(i)}), at(0s), actions);
    }
    leases.push_back(std::get<Acquired>(actions.back()).lease);
  }
  if (bytes_in_use() == before) GTEST_SKIP() << "a sanitizer's malloc does not count";
  const std::size_t each = (bytes_in_use() - empty) / count;
  RecordProperty("bytes_per_lease", static_cast<int>(each));
  EXPECT_GE(each, 100U);
  EXPECT_LE(each, 300U);

  for (const LeaseId lease : leases) {
    Actions actions;
    tenant.release(lease, at(1s), actions);
    tenant.on_reply(std::get<Send>(actions.at(0)).id, KeyAnswers{KeyAnswer::done}, at(1s), actions);
  }
  EXPECT_TRUE(tenant.idle());
  // The tables keep their buckets, 8 bytes each.
  EXPECT_LE(bytes_in_use(), empty + count * 32);
}

}  // namespace
}  // namespace tenure::core
