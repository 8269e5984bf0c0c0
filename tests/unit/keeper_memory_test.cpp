// How much memory a held lease costs, as malloc counts it.
#include <gtest/gtest.h>
#include <malloc.h>

#include "core/tenant.hpp"
#include "machine.hpp"

namespace tenure::core {
namespace {

constexpr std::uint64_t count = 10'000;

std::size_t bytes_in_use() { return mallinfo2().uordblks; }

std::string key(std::uint64_t i) { return "poll:lease:session-" + std::to_string(100'000 + i); }
Token token(std::uint64_t i) { return 1'700'000'000'000'000 + i; }

constexpr auto owner = "host-17.example.org-4711-5f3a";

TEST(Memory, TheKeeperSpendsAtMostFourHundredBytesALease) {
  Desk desk;
  const Timing timing = timing_of();
  const std::size_t before = bytes_in_use();
  Keeper keeper(1);
  for (std::uint64_t i = 1; i <= count; ++i) {
    const Grant grant(owner, desk.random.hex16());
    keeper.keep({LeaseId{i}, key(i), grant.value(token(i)), timing, at(0s), {0}}, at(0s), desk.random);
  }
  if (bytes_in_use() == before) GTEST_SKIP() << "a sanitizer's malloc does not count";
  const std::size_t each = (bytes_in_use() - before) / count;
  RecordProperty("bytes_per_lease", static_cast<int>(each));
  EXPECT_GE(each, 100U);
  EXPECT_LE(each, 400U);
}

// The whole client: the keeper's share and what is kept for the handle.
TEST(Memory, AClientSpendsAtMostSevenHundredBytesALeaseAndGivesAllBack) {
  const std::size_t before = bytes_in_use();
  Tenant tenant({.owner = owner}, Random(1));
  std::vector<LeaseId> leases;
  leases.reserve(count);
  const std::size_t empty = bytes_in_use();
  for (std::uint64_t i = 1; i <= count; ++i) {
    Actions actions;
    tenant.acquire({.key = key(i), .timing = timing_of()}, at(0s), actions);
    const RequestId request = std::get<Send>(actions.at(0)).id;
    tenant.on_reply(request, Granted{token(i)}, at(0s), actions);
    leases.push_back(std::get<Acquired>(actions.at(1)).lease);
  }
  if (bytes_in_use() == before) GTEST_SKIP() << "a sanitizer's malloc does not count";
  const std::size_t each = (bytes_in_use() - empty) / count;
  RecordProperty("bytes_per_lease", static_cast<int>(each));
  EXPECT_GE(each, 100U);
  EXPECT_LE(each, 700U);

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
