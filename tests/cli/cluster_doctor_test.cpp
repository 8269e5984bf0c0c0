// tenure doctor on a Redis Cluster: its servers, who serves what, and what stands in the slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/endpoint.hpp"
#include "cli/tenure_program.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/script_call.hpp"
#include "support/paths.hpp"
#include "support/redis_cluster.hpp"

namespace tenure::test {
namespace {

Result doctor_of(RedisCluster& cluster, const Words& more = {}) {
  return tenure(Words{"doctor", "--redis", cluster.url()} + more);
}

std::string place(RedisCluster& cluster, std::size_t server) {
  return "127.0.0.1:" + std::to_string(cluster.server(server).port());
}

TEST(ClusterDoctor, ANewOneIsToldHowToBeMadeReady) {
  RedisCluster cluster({.replicas = 0});
  const Result result = doctor_of(cluster);
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_TRUE(has(result.out, "16384 of 16384 slots have no record of Tenure")) << result.out;
  EXPECT_TRUE(has(result.out, "if it is new: tenure init --redis " + cluster.url())) << result.out;
}

TEST(ClusterDoctor, ShowsMastersReplicasAndSlots) {
  RedisCluster cluster;
  make_ready({cluster.url()});
  const Result well = doctor_of(cluster);
  EXPECT_EQ(well.code, 0) << well.out;
  // Each has one replica, which could not take writes when it is promoted.
  EXPECT_FALSE(has(well.out, "min-replicas-to-write is 0")) << well.out;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(has(well.out, "  Master " + place(cluster, i) + " (")) << well.out;
    EXPECT_TRUE(has(well.out, "    Replica " + place(cluster, 3 + i) + "... UP, round trip ")) << well.out;
  }
  EXPECT_TRUE(has(well.out, "Slots: 16384 of 16384 are served; 16384 give leases; cluster_state ok\n"))
      << well.out;
  const Result json = doctor_of(cluster, {"--json"});
  EXPECT_TRUE(has(json.out, R"("cluster": {"state": "ok", "slots_served": 16384, "slots_open": 16384, )"
                            R"("slots_quarantined": 0, "slots_restarted": 0, "slots_without_record": 0)"))
      << json.out;

  cluster.kill(3);
  const Result dead = doctor_of(cluster);
  EXPECT_TRUE(has(dead.out, "    Replica " + place(cluster, 3) + "... DOWN (")) << dead.out;
  EXPECT_TRUE(has(dead.out, "warning: " + cluster.url() + ": replica " + place(cluster, 3) + " of "))
      << dead.out;
}

TEST(ClusterDoctor, CountsSlotsThatGiveNoLeases) {
  RedisCluster cluster({.replicas = 0});
  make_ready({cluster.url()});
  const auto key = [](redis::Slot slot) { return redis::Keyspace{}.of_slot(slot).record(); };
  const auto server = [&](redis::Slot slot) -> RedisServer& {
    return cluster.server(cluster.master_of(slot));
  };
  server(5).command({"DEL", key(5)});
  std::string record = server(6).command({"GET", key(6)}).text;
  record.replace(record.find(" open "), 6, " quarantined ");
  server(6).command({"SET", key(6), record});
  const Result result = doctor_of(cluster);
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(has(result.out, "16382 give leases, 1 quarantined, 1 without a record")) << result.out;
  EXPECT_TRUE(has(result.out, "1 of 16384 slots have no record of Tenure")) << result.out;
  EXPECT_TRUE(has(result.out, "1 of 16384 slots are quarantined")) << result.out;
}

TEST(ClusterDoctor, AMasterThatThrowsKeysAwayIsNoPlaceForLeases) {
  RedisCluster cluster({.replicas = 0});
  make_ready({cluster.url()});
  cluster.server(1).command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  const Result result = doctor_of(cluster);
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_TRUE(has(result.out, place(cluster, 1) + ": it throws keys away")) << result.out;
}

TEST(ClusterDoctor, SlotsWithoutAMasterAreNamed) {
  RedisCluster cluster({.replicas = 0, .arguments = {"--cluster-require-full-coverage", "no"}});
  make_ready({cluster.url()});
  cluster.kill(0);
  ASSERT_TRUE(wait_until([&] {
    return has(doctor_of(cluster).out, "master " + place(cluster, 0) + " is down");
  })) << doctor_of(cluster).out;
  const Result result = doctor_of(cluster);
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(has(result.out, "nobody gets a lease of its ")) << result.out;
  EXPECT_TRUE(has(result.out, "  Master " + place(cluster, 0) + " (")) << result.out;
}

// What only a Cluster asks for, as the README says it: "+cluster|slots" and others.
Words cluster_rights_of_readme() {
  std::ifstream readme(std::string(paths::source_dir) + "/README.md");
  const std::string all((std::istreambuf_iterator<char>(readme)), {});
  const std::string before = "In a Redis Cluster it needs `";
  const auto from = all.find(before);
  if (from == std::string::npos) throw std::runtime_error("the README does not say what a Cluster needs");
  std::istringstream words(
      all.substr(from + before.size(), all.find('`', from + before.size()) - from - before.size()));
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(ClusterDoctor, EveryRightThatOnlyAClusterNeedsIsNamed) {  // T31
  RedisCluster cluster({.replicas = 0});
  make_ready({cluster.url()});
  std::string url = cluster.url();
  url.insert(url.find("//") + 2, "worker:s3cret@");
  const auto doctor_with = [&](const Words& rules) {
    for (std::size_t i = 0; i < cluster.server_count(); ++i)
      cluster.server(i).command(Words{"ACL", "SETUSER", "worker", "reset", "on", ">s3cret"} + rules);
    return tenure({"doctor", "--redis", url});
  };
  const Words of_cluster = cluster_rights_of_readme();
  ASSERT_EQ(of_cluster.size(), 3U);
  const Result poor = doctor_with(Words{"+eval", "+ping"} + of_cluster);
  const std::string before = "do:  ACL SETUSER worker ";
  const auto at = poor.out.find(before);
  ASSERT_NE(at, std::string::npos) << poor.out;
  std::istringstream line(poor.out.substr(at + before.size(), poor.out.find('\n', at) - at - before.size()));
  const Words advised{std::istream_iterator<std::string>(line), {}};
  const Result well = doctor_with(advised);
  EXPECT_EQ(well.code, 0) << well.out;
  for (const std::string& rule : of_cluster) {
    Words rest = advised;
    ASSERT_EQ(std::erase(rest, rule), 1U) << rule;
    std::string name = rule.substr(1);
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    const Result result = doctor_with(rest);
    EXPECT_EQ(result.code, 2) << rule << '\n' << result.out;
    EXPECT_TRUE(has(result.out,
                    (rule == "+cluster|slots" ? "the user may not run " : "the user may not use: ") + name))
        << rule << '\n'
        << result.out;
    EXPECT_TRUE(has(result.out, "+cluster|slots +cluster|myid +asking")) << rule << '\n' << result.out;
  }
}

TEST(ClusterDoctor, ASlotThatMovesIsNamed) {
  RedisCluster cluster({.replicas = 0});
  make_ready({cluster.url()});
  cluster.begin_move(5, 0, 1);
  cluster.move_keys(5, 0, 1);
  const Result result = doctor_of(cluster);
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(has(result.out, place(cluster, 0) +
                                  ": the records of its slots cannot be read: slot 5 is on its way to "
                                  "another server: try again when it is there"))
      << result.out;
}

TEST(ClusterDoctor, AProbeIsReadyWhileMostSlotsGiveLeases) {
  RedisCluster cluster({.replicas = 0});
  make_ready({cluster.url()});
  const ServingTenure tenure(Words{"elect", "a", "--observe", "--redis", cluster.url()});
  EXPECT_EQ(tenure.get("/readyz").status, 200) << tenure.get("/readyz").body;
  cluster.server(0).command({"FLUSHALL"});
  EXPECT_EQ(tenure.get("/readyz").status, 200) << tenure.get("/readyz").body;
  cluster.server(1).command({"FLUSHALL"});
  EXPECT_TRUE(tenure.comes_to("/readyz", 503, "most of its slots give no leases; slot 0: it has no record"))
      << tenure.get("/readyz").body;
}

}  // namespace
}  // namespace tenure::test
