// Leases in a real Redis Cluster: in all its shards, while slots move, and while servers die.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "redis/cluster/slot.hpp"
#include "runtime/boot_clock.hpp"
#include "support/certificates.hpp"
#include "support/cluster_records.hpp"
#include "support/lease_client.hpp"
#include "support/redis_cluster.hpp"

namespace tenure::test {
namespace {

using core::FailureCode;
using core::RefusalCode;
using core::ReleaseOutcome;
using namespace std::chrono_literals;

// Longer than any test: what is got sooner was got by a call, not by waiting for the end of the TTL.
constexpr auto long_ttl = 60s;

class ClusterTest : public ::testing::Test {
 protected:
  void start(RedisCluster::Options options, core::Ttl cap = cap_default) {
    cap_ = cap;
    cluster.emplace(std::move(options));
    init(*cluster, cap);
  }
  runtime::Client client(ClientWith with = {}) {
    return client_of({cluster->address()}, cap_, std::move(with));
  }
  // A name whose slot that server serves at first.
  static std::string name_at(std::size_t server, int number = 0) {
    const std::size_t first = (server * redis::slots + 2) / 3;
    const auto slot = static_cast<redis::Slot>(first + 100 + static_cast<std::size_t>(number));
    return "redlock:{" + redis::tag_of(slot) + "}";
  }
  static bool stays_held(const runtime::Lease& lease, core::Duration for_so_long) {
    const core::Time until = runtime::boot_now() + for_so_long;
    while (runtime::boot_now() < until) {
      if (!lease.held()) return false;
      std::this_thread::sleep_for(5ms);
    }
    return true;
  }
  void move_keys_of(const std::string& name, std::size_t from, std::size_t to) {
    const redis::Keyspace keyspace = redis::Keyspace{}.of_slot(redis::slot_of(name));
    for (const std::string& key : {name, keyspace.record(), keyspace.fence()})
      cluster->move_key(key, from, to);
  }

  core::Ttl cap_{};
  std::optional<RedisCluster> cluster{};
};

TEST_F(ClusterTest, TwentyLeasesInAllShardsAreHeldRenewedAndGivenBack) {
  start({.replicas = 0});
  auto first = client();
  auto second = client();
  std::vector<runtime::Lease> leases;
  const auto name = [](std::size_t i) { return "redlock:job-" + std::to_string(i); };
  for (std::size_t i = 0; i < 20; ++i) {
    auto lease = first.acquire(name(i), wish(2s));
    ASSERT_TRUE(lease) << i;
    leases.push_back(std::move(*lease));
  }
  for (std::size_t i = 0; i < cluster->server_count(); ++i)
    EXPECT_NE(cluster->server(i).command({"KEYS", "redlock:*"}).items.size(), 0U) << "a shard has none";
  std::vector<core::Time> deadlines;
  for (const auto& lease : leases) deadlines.push_back(lease.deadline());
  for (std::size_t i = 0; i < leases.size(); ++i)
    EXPECT_TRUE(wait_until([&] { return leases[i].deadline() > deadlines[i]; }));
  for (std::size_t i = 0; i < leases.size(); ++i) {
    const auto refused = second.acquire(name(i), wish(2s));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, RefusalCode::held);
  }
  for (auto& lease : leases) EXPECT_EQ(lease.release().outcome, ReleaseOutcome::released);
  for (std::size_t i = 0; i < leases.size(); ++i) EXPECT_TRUE(second.acquire(name(i), wish(2s)));
}

TEST_F(ClusterTest, AReleaseWakesWhoWaitsInWhicheverShard) {
  start({.replicas = 0});
  auto holder = client();
  auto waiter = client();
  for (std::size_t server = 0; server < 3; ++server) {
    auto lease = holder.acquire(name_at(server), wish(long_ttl));
    ASSERT_TRUE(lease);
    Wanting wanting(waiter, name_at(server), wish(long_ttl, for_ever));
    ASSERT_TRUE(wait_until([&] { return wanting.waits(); }));
    const core::Time then = runtime::boot_now();
    EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
    EXPECT_TRUE(wanting.get());
    EXPECT_LT(runtime::boot_now() - then, 10s);
  }
}

TEST_F(ClusterTest, WhoWaitsIsServedInTheOrderOfComing) {
  start({.replicas = 0});
  auto holder = client();
  auto lease = holder.acquire(name_at(1), wish(long_ttl));
  ASSERT_TRUE(lease);
  std::vector<runtime::Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(client());
  std::vector<Wanting> waiting;
  const std::string queue = redis::Keyspace{}.of_slot(redis::slot_of(name_at(1))).queue(name_at(1));
  for (auto& each : clients) {
    waiting.emplace_back(each, name_at(1), wish(long_ttl, for_ever));
    ASSERT_TRUE(wait_until([&] {
      return cluster->server(1).command({"LLEN", queue}).integer == static_cast<std::int64_t>(waiting.size());
    }));
  }
  for (auto& each : waiting) {
    EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
    lease = each.get();
    ASSERT_TRUE(lease);
    EXPECT_TRUE(std::ranges::none_of(waiting, [](auto& it) { return !it.taken() && it.done(); }));
  }
}

TEST_F(ClusterTest, ASlotThatMovesIsInQuarantineAndItsHolderKeepsItsLease) {
  start({.replicas = 0}, 3s);
  auto first = client();
  auto second = client();
  auto lease = first.acquire(name_at(0), wish(1s));
  auto elsewhere = first.acquire(name_at(0, 1), wish(1s));
  ASSERT_TRUE(lease && elsewhere);
  cluster->move_slot(redis::slot_of(name_at(0)), 0, 1);
  const core::Time moved = runtime::boot_now();
  const std::string beside = name_at(0) + "beside";
  const auto refused = second.acquire(beside, wish(1s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::not_open);
  EXPECT_TRUE(second.acquire(name_at(0, 2), wish(1s))) << "the other slots are as they were";
  EXPECT_TRUE(second.acquire(beside, wish(1s, 20s)));
  EXPECT_GT(runtime::boot_now() - moved, 3s);
  EXPECT_TRUE(lease->held());
  EXPECT_TRUE(elsewhere->held());
  EXPECT_NE(cluster->server(1).command({"GET", name_at(0)}).text, "");
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
}

TEST_F(ClusterTest, InTheMiddleOfAMigrationAHolderRenewsWhereItsLeaseIs) {
  start({.replicas = 0}, 3s);
  auto first = client();
  auto lease = first.acquire(name_at(0), wish(1s));
  ASSERT_TRUE(lease);
  const redis::Slot slot = redis::slot_of(name_at(0));
  cluster->begin_move(slot, 0, 2);
  EXPECT_TRUE(stays_held(*lease, 1500ms)) << "nothing has moved yet";
  move_keys_of(name_at(0), 0, 2);
  EXPECT_TRUE(stays_held(*lease, 1500ms));
  EXPECT_TRUE(is_renewed(*lease));
  cluster->end_move(slot, 0, 2);
  EXPECT_TRUE(stays_held(*lease, 1500ms));
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  EXPECT_EQ(cluster->server(2).command({"GET", name_at(0)}).text, "");
}

// A renewal is one call for the record and all of them: it is turned away until the last key has moved.
TEST_F(ClusterTest, ManyLeasesOfOneSlotThatMovesKeyByKeyInLessThanTheirTtlAreKept) {
  start({.replicas = 0}, 10s);
  auto first = client();
  const redis::Slot slot = redis::slot_of(name_at(0));
  std::vector<runtime::Lease> leases;
  for (int i = 0; i < 24; ++i) {
    auto lease = first.acquire(name_at(0) + std::to_string(i), wish(10s));
    ASSERT_TRUE(lease) << i;
    leases.push_back(std::move(*lease));
  }
  const core::Time begun = runtime::boot_now();
  cluster->begin_move(slot, 0, 2);
  std::size_t moved = 0;
  // Longer than it is from one renewal to the next.
  for (; cluster->move_keys(slot, 0, 2, 1) == 1; ++moved) std::this_thread::sleep_for(105ms);
  cluster->end_move(slot, 0, 2);
  EXPECT_EQ(moved, leases.size() + 2) << "with the record and the fence";
  EXPECT_GT(runtime::boot_now() - begun, 2500ms);
  ASSERT_LT(runtime::boot_now() - begun, 7s) << "the machine is too slow for this test";
  const auto errors = [&](std::size_t server) {
    return cluster->server(server).command({"INFO", "errorstats"}).text;
  };
  EXPECT_NE((errors(0) + errors(2)).find("errorstat_TRYAGAIN"), std::string::npos)
      << "nothing was turned away";
  std::vector<core::Time> deadlines;
  for (const auto& lease : leases) deadlines.push_back(lease.deadline());
  for (std::size_t i = 0; i < leases.size(); ++i) {
    EXPECT_TRUE(wait_until([&] { return leases[i].deadline() > deadlines[i]; })) << i;
    EXPECT_TRUE(leases[i].held()) << i;
  }
  for (auto& lease : leases) EXPECT_EQ(lease.release().outcome, ReleaseOutcome::released);
  EXPECT_EQ(cluster->server(2).command({"GET", name_at(0) + "0"}).text, "");
}

// A release names the queue, too, which mostly is not there, so that it finds some of its keys gone wherever it asks.
TEST_F(ClusterTest, WhatIsGivenBackWhileItsSlotMovesLapsesByItsTtl) {
  start({.replicas = 0}, 3s);
  auto first = client();
  auto lease = first.acquire(name_at(0), wish(2s));
  ASSERT_TRUE(lease);
  const redis::Slot slot = redis::slot_of(name_at(0));
  cluster->begin_move(slot, 0, 2);
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::failed);
  cluster->move_keys(slot, 0, 2);
  cluster->end_move(slot, 0, 2);
  EXPECT_TRUE(wait_until([&] { return cluster->server(2).command({"GET", name_at(0)}).text.empty(); }));
}

TEST_F(ClusterTest, AMigrationThatIsCalledOffChangesNothing) {
  start({.replicas = 0}, 3s);
  auto first = client();
  auto lease = first.acquire(name_at(0), wish(1s));
  ASSERT_TRUE(lease);
  cluster->begin_move(redis::slot_of(name_at(0)), 0, 2);
  cluster->cancel_move(redis::slot_of(name_at(0)), 0, 2);
  EXPECT_TRUE(stays_held(*lease, 1500ms));
  EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  EXPECT_TRUE(first.acquire(name_at(0), wish(1s)));
}

TEST_F(ClusterTest, AMasterThatDiesIsReplacedItsHoldersKeepTheirLeasesAndNewOnesWait) {
  start({}, 12s);
  auto first = client();
  auto second = client();
  std::vector<runtime::Lease> leases;
  for (std::size_t server = 0; server < 3; ++server) {
    auto lease = first.acquire(name_at(server), wish(10s));
    ASSERT_TRUE(lease);
    leases.push_back(std::move(*lease));
  }
  cluster->kill(0);
  const core::Time killed = runtime::boot_now();
  ASSERT_TRUE(wait_until([&] { return cluster->master_of(redis::slot_of(name_at(0))) != 0; }));
  EXPECT_TRUE(second.acquire(name_at(1, 1), wish(10s)));
  EXPECT_TRUE(second.acquire(name_at(0, 1), wish(10s, 40s)));
  EXPECT_GT(runtime::boot_now() - killed, 12s) << "it may have forgotten somebody's";
  for (const auto& lease : leases) EXPECT_TRUE(lease.held());
  for (auto& lease : leases) EXPECT_EQ(lease.release().outcome, ReleaseOutcome::released);
}

TEST_F(ClusterTest, AShardThatIsAwayDoesNotDisturbTheLeasesOfTheOthers) {
  start({.replicas = 0, .arguments = {"--cluster-require-full-coverage", "no"}});
  auto first = client();
  std::vector<runtime::Lease> leases;
  for (int i = 0; i < 12; ++i) {
    auto lease = first.acquire(name_at(static_cast<std::size_t>(i % 3), i), wish(2s));
    ASSERT_TRUE(lease);
    leases.push_back(std::move(*lease));
  }
  cluster->stop(0);
  const core::Time until = runtime::boot_now() + 5s;
  while (runtime::boot_now() < until) {
    for (std::size_t i = 0; i < leases.size(); ++i) ASSERT_TRUE(i % 3 == 0 || leases[i].held()) << i;
    std::this_thread::sleep_for(10ms);
  }
  for (std::size_t i = 0; i < leases.size(); i += 3) EXPECT_FALSE(leases[i].held()) << i;
  const core::Time then = runtime::boot_now();
  EXPECT_TRUE(first.acquire(name_at(1, 50), wish(2s)));
  EXPECT_LT(runtime::boot_now() - then, 1s);
  cluster->go_on(0);
}

// A master is frozen, replaced, and goes on as if it were the master still: nobody who was idle meanwhile may believe it.
TEST_F(ClusterTest, AMasterThatWasFrozenAndReplacedIsNotAskedWhenItGoesOn) {
  start({}, 4s);
  auto idle = client();
  {
    const auto used = idle.acquire(name_at(0), wish(2s));
    ASSERT_TRUE(used);
  }
  ASSERT_TRUE(wait_until([&] { return cluster->server(0).command({"GET", name_at(0)}).text.empty(); }));
  cluster->server(0).command({"CONFIG", "RESETSTAT"});
  cluster->stop(0);
  ASSERT_TRUE(wait_until([&] { return cluster->master_of(redis::slot_of(name_at(0))) != 0; }));
  const std::size_t now_master = cluster->master_of(redis::slot_of(name_at(0)));
  auto other = client();
  const auto lease = other.acquire(name_at(0), wish(2s, 20s));
  ASSERT_TRUE(lease);
  // Before it hears of its replacement, the client that has a connection to it asks.
  std::thread thaw([&] { cluster->go_on(0); });
  const auto refused = idle.acquire(name_at(0), wish(2s));
  thaw.join();
  ASSERT_FALSE(refused);
  // It may have heard of its replacement in time, and turned away what it was asked. Redis counts that, too.
  EXPECT_EQ(cluster->server(0).command({"INFO", "commandstats"}).text.find("cmdstat_eval"), std::string::npos)
      << cluster->server(0).command({"INFO", "commandstats"}).text;
  EXPECT_TRUE(lease->held());
  EXPECT_NE(cluster->server(now_master).command({"GET", name_at(0)}).text, "");
}

TEST_F(ClusterTest, AConnectionThatAServerHasClosedMeanwhileCostsNoRequest) {
  start({.replicas = 0});
  auto first = client();
  for (std::size_t server = 0; server < 3; ++server) EXPECT_TRUE(first.acquire(name_at(server), wish(2s)));
  const core::Time then = runtime::boot_now() + 1100ms;
  ASSERT_TRUE(wait_until([&] { return runtime::boot_now() > then; }));
  for (std::size_t server = 0; server < 3; ++server)
    cluster->server(server).command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  for (std::size_t server = 0; server < 3; ++server) {
    const auto lease = first.acquire(name_at(server, 1), wish(2s));
    EXPECT_TRUE(lease) << server;
  }
}

TEST_F(ClusterTest, TlsIsSpokenWithAllServers) {
  Certificates certificates;
  start({.replicas = 0, .tls = certificates.server()});
  ASSERT_TRUE(cluster->address().tls);
  auto trusting = client({.tls = {.ca_file = certificates.ca_file()}});
  for (std::size_t server = 0; server < 3; ++server) {
    auto lease = trusting.acquire(name_at(server), wish(10s));
    ASSERT_TRUE(lease) << server;
    EXPECT_EQ(lease->release().outcome, ReleaseOutcome::released);
  }
  auto distrusting = client();
  const auto refused = distrusting.acquire(name_at(0), wish(2s));
  ASSERT_FALSE(refused);
  ASSERT_FALSE(refused.error().failures.empty());
  EXPECT_EQ(refused.error().failures.front().failure.code, FailureCode::tls);
}

TEST_F(ClusterTest, ThePasswordIsToldToAllServersAndAWrongOneIsRefused) {
  start({.replicas = 0, .password = "secret"});
  auto knowing = client();
  for (std::size_t server = 0; server < 3; ++server) EXPECT_TRUE(knowing.acquire(name_at(server), wish(10s)));
  auto address = cluster->address();
  address.password = "wrong";
  auto stranger = client_of({address}, cap_default);
  const auto refused = stranger.acquire(name_at(0), wish(2s));
  ASSERT_FALSE(refused);
  ASSERT_FALSE(refused.error().failures.empty());
  EXPECT_EQ(refused.error().failures.front().failure.code, FailureCode::auth);
}

// T31
TEST_F(ClusterTest, WhoMayNotRunAskingIsRefusedOnlyWhatMoves) {
  start({.replicas = 0});
  for (std::size_t i = 0; i < cluster->server_count(); ++i) {
    cluster->server(i).command(
        {"ACL", "SETUSER", "worker", "on", ">s3cret", "allkeys", "allchannels", "+@all", "-asking"});
  }
  auto address = cluster->address();
  address.user = "worker";
  address.password = "s3cret";
  auto poor = client_of({address}, cap_default);
  auto held = poor.acquire(name_at(2), wish(2s));
  ASSERT_TRUE(held);
  const redis::Slot slot = redis::slot_of(name_at(0));
  cluster->begin_move(slot, 0, 2);
  cluster->move_keys(slot, 0, 2);
  for (int i = 1; i <= 3; ++i) {
    const auto refused = poor.acquire(name_at(0), wish(2s));
    ASSERT_FALSE(refused);
    ASSERT_FALSE(refused.error().failures.empty());
    const auto& failure = refused.error().failures.front().failure;
    EXPECT_EQ(failure.code, FailureCode::no_permission) << failure.detail;
    EXPECT_NE(failure.detail.find("it lacks +asking"), std::string::npos) << failure.detail;
    EXPECT_TRUE(poor.acquire(name_at(2, i), wish(2s))) << "on the same connection";
  }
  EXPECT_TRUE(is_renewed(*held));
  EXPECT_EQ(held->release().outcome, ReleaseOutcome::released);
}

TEST_F(ClusterTest, ARedisThatIsInNoClusterSaysSo) {
  RedisServer server({.tcp = true});
  auto lonely = client_of(
      {redis::parse_url("redis-cluster://127.0.0.1:" + std::to_string(server.port())).value()}, cap_default);
  const auto refused = lonely.acquire("redlock:a", wish(2s));
  ASSERT_FALSE(refused);
  ASSERT_FALSE(refused.error().failures.empty());
  const auto& failure = refused.error().failures.front().failure;
  EXPECT_EQ(failure.code, FailureCode::unsupported) << failure.detail;
  EXPECT_EQ(failure.applied, core::Applied::no);
}

}  // namespace
}  // namespace tenure::test
