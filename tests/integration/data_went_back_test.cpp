// The data of a Redis goes back to what it was, and its run id stays: SWAPDB with an older copy, DEBUG RELOAD of an older
// dump, a machine that is reset to a snapshot. Record, epoch and life are those of before; who has seen more knows. G9.
#include <gtest/gtest.h>

#include "redis/net/redis_store.hpp"
#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::ReleaseOutcome;

constexpr core::Ttl cap{2'000};
constexpr auto key = "redlock:a";

void copy_data(RedisServer& redis) {
  for (const auto& it : redis.command({"KEYS", "*"}).items) {
    EXPECT_EQ(redis.command({"COPY", it.text, it.text, "DB", "1"}).integer, 1) << it.text;
  }
}
void bring_copy_back(RedisServer& redis) { EXPECT_EQ(redis.command({"SWAPDB", "0", "1"}).text, "OK"); }

// Gives it back at once.
core::Token token_of(runtime::Client& client, const std::string& name,
                     std::optional<core::Duration> wait = core::Duration::zero()) {
  auto lease = client.acquire(name, wish(cap, wait));
  EXPECT_TRUE(lease) << name;
  if (!lease) return 0;
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  return lease->token();
}

class DataWentBack : public ::testing::TestWithParam<std::size_t> {
 protected:
  void copy_all() {
    for (std::size_t i = 0; i < nodes.size(); ++i) copy_data(nodes[i]);
  }
  void bring_all_back() {
    for (std::size_t i = 0; i < nodes.size(); ++i) bring_copy_back(nodes[i]);
  }
  // Is this the state of most nodes, because they went back? What the last one gave may not have been heard.
  bool most_are_restored(const std::string& state) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::string record = nodes[i].command({"GET", "tenure:record"}).text;
      if (record.find(" restored ") != std::string::npos && record_state(nodes[i]) == state) count += 1;
    }
    return count > nodes.size() / 2;
  }
  // Also on the nodes that the grant did not wait for.
  bool stands_everywhere(const runtime::Lease& lease) {
    return wait_until([&] {
      const auto values = nodes.values(key);
      return std::ranges::all_of(values, [&](const std::string& value) {
        return value.ends_with("#" + std::to_string(lease.token()));
      });
    });
  }

  Nodes nodes{GetParam(), cap};
};

INSTANTIATE_TEST_SUITE_P(Nodes, DataWentBack, ::testing::Values(1, 3), ::testing::PrintToStringParamName());

TEST_P(DataWentBack, WhoHasSeenATokenIsNotGivenItAgain) {
  auto client = client_of(nodes);
  token_of(client, key);
  copy_all();
  const auto before = token_of(client, key);
  bring_all_back();
  EXPECT_GT(token_of(client, key, for_ever), before);
  EXPECT_TRUE(most_are_restored("open"));
}

TEST_P(DataWentBack, TheHolderKeepsItsLeaseAndWhoHasSeenMoreDoesNotGetIt) {
  auto holder = client_of(nodes);
  auto other = client_of(nodes);
  copy_all();
  auto lease = holder.acquire(key, wish(cap));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(stands_everywhere(*lease));
  token_of(other, "redlock:b");
  bring_all_back();

  Wanting wanting(other, key, wish(cap, for_ever));
  ASSERT_TRUE(wait_until([&] { return wanting.waits() || wanting.done(); }));
  ASSERT_TRUE(wait_until([&] { return most_are_restored("open"); }));
  ASSERT_TRUE(is_renewed(*lease));
  EXPECT_TRUE(lease->held());
  EXPECT_FALSE(lease->lost().stop_requested());
  EXPECT_FALSE(wanting.done());
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  const auto next = wanting.get();
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
}

TEST_P(DataWentBack, TheHolderAloneNoticesItAtItsNextRenewal) {
  auto holder = client_of(nodes);
  copy_all();
  auto lease = holder.acquire(key, wish(cap));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(stands_everywhere(*lease));
  bring_all_back();
  ASSERT_TRUE(wait_until([&] { return most_are_restored("quarantined"); }));
  ASSERT_TRUE(stands_everywhere(*lease)) << "put back";
  ASSERT_TRUE(is_renewed(*lease));
  EXPECT_FALSE(lease->lost().stop_requested());
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
}

// Somebody else's old lease came back in its place.
TEST_P(DataWentBack, AnOlderLeaseThatCameBackYieldsToTheHolder) {
  auto first = client_of(nodes);
  auto holder = client_of(nodes);
  {
    auto old = first.acquire(key, wish(cap));
    ASSERT_TRUE(old);
    copy_all();
    ASSERT_EQ(old->release().outcome, ReleaseOutcome::released);
  }
  auto lease = holder.acquire(key, wish(cap, 1s));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(stands_everywhere(*lease));
  bring_all_back();
  ASSERT_TRUE(stands_everywhere(*lease)) << "put back";
  ASSERT_TRUE(is_renewed(*lease));
  EXPECT_FALSE(lease->lost().stop_requested());
}

TEST(DataWentBackByReload, WhoHasSeenATokenIsNotGivenItAgainAndIsToldWhy) {
  Nodes nodes(1, cap, {.arguments = {"--enable-debug-command", "yes"}});
  auto client = client_of(nodes);
  token_of(client, key);
  ASSERT_EQ(nodes[0].command({"SAVE"}).text, "OK");
  const auto before = token_of(client, key);
  const auto reloaded = nodes[0].command({"DEBUG", "RELOAD", "NOSAVE"});
  ASSERT_EQ(reloaded.text, "OK");
  const auto refused = client.acquire(key, wish(cap));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::RefusalCode::not_open);
  const redis::Nodes ours{.addresses = nodes.addresses(),
                          .keyspace = {.cap = cap, .set = redis::node_set(nodes.addresses())}};
  const auto told =
      redis::store_of(ours)->not_open_text(refused.error(), runtime::Patience::leaves, std::nullopt).text;
  EXPECT_TRUE(
      told.ends_with(" went back to older data, as from a copy, and may have forgotten leases. "
                     "New grants within 3s."))
      << told;
  EXPECT_GT(token_of(client, key, for_ever), before);
}

}  // namespace
}  // namespace tenure::test
