// tenure init on a Redis Cluster: the records of all its slots.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/tenure_program.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/script_call.hpp"
#include "support/redis_cluster.hpp"

namespace tenure::test {
namespace {

const RedisCluster::Options only_masters{.replicas = 0};

Words init_words(RedisCluster& cluster) { return {"init", "--redis", cluster.url()}; }

std::string record_key(redis::Slot slot) { return redis::Keyspace{}.of_slot(slot).record(); }
std::string fence_key(redis::Slot slot) { return redis::Keyspace{}.of_slot(slot).fence(); }

RedisServer& server_of(RedisCluster& cluster, redis::Slot slot) {
  return cluster.server(cluster.master_of(slot));
}
std::string record(RedisCluster& cluster, redis::Slot slot) {
  return server_of(cluster, slot).command({"GET", record_key(slot)}).text;
}
void set_record(RedisCluster& cluster, redis::Slot slot, const std::string& text) {
  server_of(cluster, slot).command({"SET", record_key(slot), text});
}
void forget(RedisCluster& cluster, redis::Slot slot) {
  server_of(cluster, slot).command({"DEL", record_key(slot), fence_key(slot)});
}
// As init leaves it between its two steps.
std::string closed(std::string record) {
  record.replace(record.find(" open "), 6, " quarantined ");
  record.replace(record.find(" new "), 5, " unknown ");
  return record;
}

std::int64_t all_keys(RedisCluster& cluster) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < cluster.server_count(); ++i)
    count += cluster.server(i).command({"DBSIZE"}).integer;
  return count;
}

TEST(ClusterInit, MakesTheRecordsOfAllSlots) {
  RedisCluster cluster(only_masters);
  const Result made = tenure(init_words(cluster));
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(
      made.out,
      "made: this Redis Cluster is ready for Tenure: 16384 slots on 3 masters (leases of at most 1m)\n");
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(all_keys(cluster), 2 * 16384);
  for (const redis::Slot slot : std::vector<redis::Slot>{0, 5000, 9000, 16383}) {
    EXPECT_TRUE(record(cluster, slot).starts_with("60000 1 ")) << record(cluster, slot);
    EXPECT_TRUE(has(record(cluster, slot), " open ")) << record(cluster, slot);
    EXPECT_TRUE(has(record(cluster, slot), " new ")) << record(cluster, slot);
  }

  const Result again = tenure(init_words(cluster));
  EXPECT_EQ(again.code, 73);
  EXPECT_EQ(again.out, "");
  EXPECT_TRUE(has(again.err, "it has records of Tenure already (16384 of 16384 slots are open")) << again.err;

  const Result other = tenure(init_words(cluster) + Words{"--ttl-max", "2m"});
  EXPECT_EQ(other.code, 73);
  EXPECT_TRUE(has(other.err, "slot 0: it has a record of Tenure already (open, leases of at most 1m)"))
      << other.err;

  const Result run = tenure(Job{.name = "job"}.words(cluster.url()));
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST(ClusterInit, CompletesWhatAnInterruptedOneHasLeft) {
  RedisCluster cluster(only_masters);
  ASSERT_EQ(tenure(init_words(cluster)).code, 0);
  // It was ended while it opened the records; nobody ever had a lease in those that are closed.
  for (const redis::Slot slot : std::vector<redis::Slot>{7, 6000, 16000})
    set_record(cluster, slot, closed(record(cluster, slot)));
  const std::string before = record(cluster, 8);
  const Result again = tenure(init_words(cluster));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.out, "3 slots on 3 masters")) << again.out;
  EXPECT_TRUE(has(again.out, "16381 were there already, made by a tenure init that was interrupted"))
      << again.out;
  EXPECT_TRUE(has(record(cluster, 6000), " open ")) << record(cluster, 6000);
  EXPECT_EQ(record(cluster, 8), before);
}

TEST(ClusterInit, CompletesOneThatHasOpenedNothing) {
  RedisCluster cluster(only_masters);
  ASSERT_EQ(tenure(init_words(cluster)).code, 0);
  const std::string left = closed(record(cluster, 7));
  for (std::size_t i = 0; i < cluster.server_count(); ++i) cluster.server(i).command({"FLUSHALL"});
  set_record(cluster, 7, left);
  const Result again = tenure(init_words(cluster));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.out, "16384 slots on 3 masters")) << again.out;
  EXPECT_EQ(all_keys(cluster), 2 * 16384);
}

TEST(ClusterInit, ASlotThatLostItsRecordIsNotOpened) {
  RedisCluster cluster(only_masters);
  ASSERT_EQ(tenure(init_words(cluster)).code, 0);
  const std::string good = record(cluster, 7);
  forget(cluster, 7);
  const Result gone = tenure(init_words(cluster));
  EXPECT_EQ(gone.code, 73);
  EXPECT_TRUE(has(gone.err, "had none when a client came: 1; slots with one: 16383. So data was lost"))
      << gone.err;
  EXPECT_EQ(record(cluster, 7), "");

  // And a client has used it since.
  const std::string epoch = good.substr(good.find(' ', 6) + 1, 16);
  std::string used = closed(good);
  used.replace(used.find(epoch), 16, "0123456789abcdef");
  set_record(cluster, 7, used);
  const Result seen = tenure(init_words(cluster));
  EXPECT_EQ(seen.code, 73);
  EXPECT_TRUE(has(seen.err, "had none when a client came: 1; slots with one: 16383. So data was lost"))
      << seen.err;
  EXPECT_EQ(record(cluster, 7), used);
}

TEST(ClusterInit, AClusterThatDoesNotServeAllSlotsIsRefused) {
  RedisCluster cluster(only_masters);
  for (std::size_t i = 0; i < cluster.server_count(); ++i)
    cluster.server(i).command({"CLUSTER", "DELSLOTS", "0"});
  const Result result = tenure(init_words(cluster));
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "it serves only 16383 of its 16384 slots: see which masters are missing"))
      << result.err;
  EXPECT_EQ(all_keys(cluster), 0);
}

TEST(ClusterInit, ASlotThatMovesIsNamed) {
  RedisCluster cluster(only_masters);
  ASSERT_EQ(tenure(init_words(cluster)).code, 0);
  cluster.begin_move(7, 0, 2);
  cluster.move_keys(7, 0, 2);
  const Result result = tenure(init_words(cluster));
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "slot 7 is on its way to another server: try again when it is there"))
      << result.err;
  EXPECT_TRUE(has(result.err, "nothing was changed")) << result.err;
}

TEST(ClusterInit, OneOutOfReachIsNamed) {
  const Result result = tenure({"init", "--redis", "redis-cluster://127.0.0.1:1"});
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "redis-cluster://127.0.0.1:1: ")) << result.err;
}

}  // namespace
}  // namespace tenure::test
