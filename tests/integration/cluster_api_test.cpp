// The public API on a Redis Cluster: locks of several names, elections, and fleets whose data is elsewhere.
#include <atomic>

#include "integration/event_loop.hpp"
#include "support/cluster_records.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class ApiCluster : public ::testing::Test {
 protected:
  ApiCluster() { init(cluster_); }
  Client open_as(const std::string& id) const {
    return Client::open({.nodes = {cluster_.url()}, .id = id, .ttl_max = cap_default}).value();
  }

 private:
  RedisCluster cluster_{{.replicas = 0}};
};

TEST_F(ApiCluster, SeveralNamesInDifferentShardsAreHeldAllOrNone) {
  const Client one = open_as("web-1");
  const Client two = open_as("web-2");
  const std::vector<std::string> names{"a", "b", "c", "d", "e"};
  auto leases = one.acquire_all(names, {.ttl = 10s});
  ASSERT_TRUE(leases) << leases.error().message;
  EXPECT_EQ(leases->size(), names.size());
  const auto refused = two.acquire_all({"x", "c"}, {.ttl = 10s}, {.wait_max = 0ms});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::held) << refused.error().message;
  EXPECT_TRUE(two.lock("x").try_acquire()) << "nothing of it is left";
  for (auto& lease : *leases) EXPECT_TRUE(lease.release());
  EXPECT_TRUE(two.acquire_all(names, {.ttl = 10s}));
}

TEST_F(ApiCluster, WhoHoldsANameIsLookedForWhereItIs) {
  const Client one = open_as("web-1");
  const Client two = open_as("web-2");
  for (const std::string name : {"a", "b", "c", "d"}) {
    const auto lease = one.lock(name).try_acquire();
    ASSERT_TRUE(lease) << lease.error().message;
    const auto holder = two.lock(name).holder();
    ASSERT_TRUE(holder);
    ASSERT_TRUE(*holder);
    EXPECT_EQ((*holder)->owner, "web-1");
  }
}

TEST_F(ApiCluster, ElectionsInDifferentShardsEachHaveOneLeaderAndAreHandedOver) {
  const Client one = open_as("web-1");
  const Client two = open_as("web-2");
  for (const std::string name : {"myapp:a", "myapp:b", "myapp:c"}) {
    auto first = one.election(name).value();
    auto second = two.election(name).value();
    ASSERT_TRUE(first.start());
    ASSERT_TRUE(first.wait_for_leadership(10s));
    ASSERT_TRUE(second.start());
    ASSERT_TRUE(wait_until([&] { return second.current_leader() == Leader{"web-1", *first.term()}; }));
    const auto term = *first.term();
    EXPECT_TRUE(first.stop());
    ASSERT_TRUE(second.wait_for_leadership(10s));
    EXPECT_GT(*second.term(), term);
  }
}

// The search for a map is an epoll set in one in one in the user's own.
TEST_F(ApiCluster, CallsThatDoNotBlockAreDrivenByTheUsersLoopAndMoreAfterAPause) {
  const Client client = open_as("web-1");
  EventLoop loop(client);
  for (int round = 0; round < 2; ++round) {
    std::vector<Lease> leases;
    const auto begun = BootClock::now();
    for (int i = 0; i < 30; ++i) {
      client.lock("a" + std::to_string(i)).async_acquire({}, [&](Acquired lease) {
        ASSERT_TRUE(lease) << lease.error().message;
        leases.push_back(std::move(*lease));
      });
    }
    ASSERT_TRUE(loop.run_until(client, [&] { return leases.size() == 30; }));
    EXPECT_LT(BootClock::now() - begun, 5s);
    int released = 0;
    for (Lease& lease : leases) {
      lease.async_release([&](const tl::expected<Released, Refusal>& how) {
        EXPECT_EQ(how, Released::released);
        released += 1;
      });
    }
    ASSERT_TRUE(loop.run_until(client, [&] { return released == 30; }));
    const auto pause = BootClock::now() + 1200ms;
    ASSERT_TRUE(wait_until([&] { return BootClock::now() > pause; }));
  }
}

TEST_F(ApiCluster, AFleetNeedsAnotherStoreForItsDataAndIsToldSo) {
  const Client client = open_as("web-1");
  const auto refused = client.fleet("poll", {.ttl = 3s});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::usage);
  EXPECT_NE(refused.error().message.find("Redis Cluster"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("another store"), std::string::npos) << refused.error().message;
}

TEST_F(ApiCluster, AFleetWhoseDataIsElsewhereSharesItsSessionsOverAllShards) {
  RedisServer apart;
  const Client one = open_as("web-1");
  const Client two = open_as("web-2");
  FleetOptions options{.ttl = 3s, .renew = 600ms, .node_timeout = 300ms, .data = apart.url()};
  std::vector<std::string> sessions;
  for (int i = 0; i < 30; ++i) sessions.push_back("s-" + std::to_string(i));
  const auto join = [&](const Client& client) {
    auto fleet = client.fleet("poll", options).value();
    fleet->share(sessions);
    const auto joined = fleet->start();
    EXPECT_TRUE(joined) << (joined ? "" : joined.error().message);
    return fleet;
  };
  const auto first = join(one);
  ASSERT_TRUE(wait_until([&] { return first->owned_sessions().size() == 30; }));
  const auto second = join(two);
  EXPECT_TRUE(wait_until(
      [&] { return first->owned_sessions().size() == 15 && second->owned_sessions().size() == 15; }));
}

}  // namespace
}  // namespace tenure::test
