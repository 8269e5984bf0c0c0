// The Cluster that other tests rest on does what they ask of it.
#include "support/redis_cluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "redis/cluster/redirection.hpp"
#include "redis/cluster/slot_map.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using redis::Redirection;
using redis::Slot;
using Kind = Redirection::Kind;

std::string key_in(Slot slot, const std::string& name = "key") {
  return name + "{" + redis::tag_of(slot) + "}";
}

TEST(RedisClusters, ServeAllSlotsAndSayByWhom) {
  RedisCluster cluster;
  // A replica that has received nothing yet is not shown.
  for (std::size_t i = 0; i < 3; ++i) {
    const auto key = key_in(static_cast<Slot>(i * redis::slots / 3 + 1));
    ASSERT_EQ(cluster.server(i).command({"SET", key, "1"}).text, "OK");
  }
  ASSERT_EQ(cluster.server_count(), 6u);
  EXPECT_EQ(cluster.address().seeds.size(), 6u);
  const auto shows_replicas = [&](std::size_t i) {
    const auto map = redis::read_slot_map(cluster.server(i).command(redis::slots_question()));
    return map && std::ranges::all_of(map->shards(), [](const auto& it) { return it.replicas.size() == 1; });
  };
  for (std::size_t i = 0; i < 6; ++i) {
    ASSERT_TRUE(wait_until([&] { return shows_replicas(i); }));
    const auto map = redis::read_slot_map(cluster.server(i).command(redis::slots_question()));
    ASSERT_TRUE(map) << map.error().detail;
    EXPECT_EQ(map->served(), redis::slots);
    EXPECT_EQ(map->masters().size(), 3u);
    for (std::size_t shard = 0; shard < 3; ++shard) {
      const auto slot = static_cast<Slot>(shard * redis::slots / 3 + 1);
      EXPECT_EQ(cluster.master_of(slot), shard);
      EXPECT_EQ(map->master_of(slot)->port, cluster.server(shard).port());
      EXPECT_EQ(map->shard_of(slot)->replicas.front().place.port, cluster.server(shard + 3).port());
      EXPECT_EQ(cluster.replica_of(shard), shard + 3);
    }
  }
  // The tags of slots, by Redis itself.
  for (const Slot slot : std::initializer_list<Slot>{0, 1, 5461, 16383})
    EXPECT_EQ(cluster.server(0).command({"CLUSTER", "KEYSLOT", key_in(slot)}).integer, slot);
}

TEST(RedisClusters, MoveASlotInStepsAndSayWhereItIs) {
  RedisCluster cluster({.replicas = 0});
  const Slot slot = 7;
  const auto here = key_in(slot, "here");
  const auto gone = key_in(slot, "gone");
  for (const auto& key : {here, gone}) ASSERT_EQ(cluster.server(0).command({"SET", key, key}).text, "OK");
  const auto moved = redis::read_redirection(cluster.server(1).command({"GET", here}));
  EXPECT_EQ(moved, (Redirection{Kind::moved, slot, {"127.0.0.1", cluster.server(0).port()}}));

  cluster.begin_move(slot, 0, 1);
  cluster.move_key(gone, 0, 1);
  EXPECT_EQ(cluster.server(0).command({"GET", here}).text, here);
  const auto asked = redis::read_redirection(cluster.server(0).command({"GET", gone}));
  EXPECT_EQ(asked, (Redirection{Kind::ask, slot, {"127.0.0.1", cluster.server(1).port()}}));
  const auto both = redis::read_redirection(cluster.server(0).command({"MGET", here, gone}));
  EXPECT_EQ(both, Redirection{.kind = Kind::try_again});
  EXPECT_EQ(cluster.server(1).command({"ASKING"}).text, "OK");
  EXPECT_EQ(cluster.server(1).command({"GET", gone}).text, gone);
  EXPECT_EQ(cluster.master_of(slot), 0u);

  EXPECT_EQ(cluster.move_keys(slot, 0, 1), 1u);
  cluster.end_move(slot, 0, 1);
  EXPECT_EQ(cluster.master_of(slot), 1u);
  EXPECT_EQ(cluster.server(1).command({"MGET", here, gone}).items.size(), 2u);
  cluster.wait_until_ready();

  cluster.begin_move(slot, 1, 2);
  cluster.cancel_move(slot, 1, 2);
  cluster.move_slot(slot, 1, 2);
  EXPECT_EQ(cluster.server(2).command({"GET", here}).text, here);
}

TEST(RedisClusters, MoveAThousandSlotsInASecondOrTwo) {
  RedisCluster cluster({.replicas = 0});
  for (Slot slot = 1000; slot < 2000; ++slot)
    ASSERT_EQ(cluster.server(0).command({"SET", key_in(slot), "1"}).text, "OK");
  cluster.move_slots(1000, 1999, 0, 2);
  EXPECT_EQ(cluster.master_of(1000), 2u);
  EXPECT_EQ(cluster.master_of(1999), 2u);
  EXPECT_EQ(cluster.master_of(999), 0u);
  EXPECT_EQ(cluster.server(0).command({"DBSIZE"}).integer, 0);
  EXPECT_EQ(cluster.server(2).command({"DBSIZE"}).integer, 1000);
}

TEST(RedisClusters, FailOverInAllWays) {
  RedisCluster cluster;
  const Slot slot = 0;
  const auto key = key_in(slot);
  ASSERT_EQ(cluster.server(0).command({"SET", key, "1"}).text, "OK");
  cluster.fail_over(3);
  EXPECT_EQ(cluster.master_of(slot), 3u);
  EXPECT_EQ(cluster.server(3).command({"GET", key}).text, "1");
  cluster.wait_until_ready();
  EXPECT_EQ(cluster.replica_of(3), 0u);

  cluster.fail_over(0, RedisCluster::FailOver::takeover);
  EXPECT_EQ(cluster.master_of(slot), 0u);
  cluster.wait_until_ready();

  cluster.stop(0);
  cluster.fail_over(3, RedisCluster::FailOver::by_force);
  EXPECT_EQ(cluster.master_of(slot), 3u);
  cluster.go_on(0);
  cluster.wait_until_ready();
  EXPECT_FALSE(cluster.is_master(0));
}

TEST(RedisClusters, ReplaceAMasterThatWasKilled) {
  RedisCluster cluster({.password = "gehe!m"});
  cluster.kill(1);
  const Slot slot = redis::slots / 2;
  ASSERT_TRUE(wait_until([&] { return cluster.is_master(4); }));
  cluster.wait_until_ready();
  EXPECT_EQ(cluster.master_of(slot), 4u);
  cluster.restart(1);
  cluster.wait_until_ready();
  EXPECT_EQ(cluster.replica_of(4), 1u);
}

}  // namespace
}  // namespace tenure::test
