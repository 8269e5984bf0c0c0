// tenure lock on a Redis Cluster: what all masters show, and one name in its slot, wherever that is.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/tenure_program.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/script_call.hpp"
#include "support/redis_cluster.hpp"

namespace tenure::test {
namespace {

class ClusterLock : public testing::Test {
 protected:
  ClusterLock() { make_ready({cluster.url()}); }

  std::unique_ptr<Process> hold(const std::string& name, const std::string& id) {
    return start_tenure(
        Job{.name = name, .options = {"--id", id, "--ttl", "6s"}, .command = stay()}.words(cluster.url()));
  }
  Result lock(const Words& words) { return tenure(Words{"lock"} + words + Words{"--redis", cluster.url()}); }
  static redis::Slot slot_of(const std::string& name) { return redis::slot_of("redlock:" + name); }

  RedisCluster cluster{RedisCluster::Options{.replicas = 0}};
};

TEST_F(ClusterLock, LsShowsTheLeasesOfAllMasters) {
  std::vector<std::unique_ptr<Process>> holders;
  std::set<std::size_t> masters;
  const Words names{"a", "b", "c", "d", "e", "f"};
  for (const auto& name : names) {
    holders.push_back(hold(name, "web-" + name));
    masters.insert(cluster.master_of(slot_of(name)));
  }
  ASSERT_EQ(masters.size(), 3U);
  Words tokens;
  for (const auto& holder : holders) tokens.push_back(std::to_string(number_printed(*holder)));
  const auto waiter = hold("b", "web-5");
  ASSERT_TRUE(wait_until([&] { return has(lock({"show", "b"}).out, "waiting: 1"); }))
      << lock({"show", "b"}).out;
  const auto set = [&](const Words& command) {
    cluster.server(cluster.master_of(redis::slot_of(command[1]))).command(command);
  };
  set({"SET", "z", "web-7#0123456789abcdef#5", "PX", "50000"});  // an election
  set({"SET", "other", "x", "PX", "50000"});                     // somebody's own

  const Result result = lock({"ls"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto rows = table(result.out);
  ASSERT_EQ(rows.size(), 1 + names.size() + 1) << result.out;
  EXPECT_EQ(rows.back()[0], "z");
  EXPECT_EQ(rows.back()[3], "web-7");
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(rows[1 + i][0], names[i]);
    EXPECT_EQ(rows[1 + i][3], "web-" + names[i]);
    EXPECT_EQ(rows[1 + i][4], tokens[i]);
  }
}

TEST_F(ClusterLock, ShowAsksTheSlotOfTheName) {
  const auto holder = hold("job", "web-3");
  const std::string token = std::to_string(number_printed(*holder));
  const Result held = lock({"show", "job"});
  EXPECT_EQ(held.code, 0) << held.err;
  EXPECT_TRUE(held.out.starts_with("job: a lock, held by web-3 for another ")) << held.out;
  EXPECT_TRUE(has(held.out, "(token " + token + ")")) << held.out;
  const Result free = lock({"show", "nobody"});
  EXPECT_EQ(free.code, 1);
  EXPECT_TRUE(free.out.starts_with("nobody: free\n")) << free.out;
}

TEST_F(ClusterLock, ALeaseIsFoundWhileItsSlotMoves) {
  const auto holder = hold("job", "web-3");
  number_printed(*holder);
  const redis::Slot slot = slot_of("job");
  const std::size_t from = cluster.master_of(slot);
  const std::size_t to = (from + 1) % 3;
  cluster.begin_move(slot, from, to);
  cluster.move_keys(slot, from, to);
  EXPECT_TRUE(has(lock({"show", "job"}).out, "held by web-3")) << lock({"show", "job"}).err;
  EXPECT_TRUE(has(lock({"ls"}).out, "web-3")) << lock({"ls"}).err;
  cluster.end_move(slot, from, to);
  EXPECT_TRUE(has(lock({"show", "job"}).out, "held by web-3")) << lock({"show", "job"}).err;
}

// S1: told, ended and gone before anybody else can have the name.
TEST_F(ClusterLock, BreakTellsTheHolderAndWaits) {
  const auto holder = hold("job", "web-3");
  number_printed(*holder);
  const Result broken = lock({"break", "job", "--yes"});
  EXPECT_EQ(broken.code, 0) << broken.err;
  EXPECT_TRUE(has(broken.err, "broke it: its holder is told at its next renewal")) << broken.err;
  EXPECT_TRUE(has(broken.err, "job is free")) << broken.err;
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
}

TEST_F(ClusterLock, BreakFreesAtOnceWhereThatIsWished) {
  const auto holder = hold("job", "web-3");
  number_printed(*holder);
  const Result freed = lock({"break", "job", "--yes", "--unsafe"});
  EXPECT_EQ(freed.code, 0) << freed.err;
  EXPECT_TRUE(has(freed.err, "deleted it: who comes next gets it at once")) << freed.err;
}

TEST_F(ClusterLock, AMasterThatIsGoneIsNamed) {
  const std::size_t gone = cluster.master_of(slot_of("job"));
  cluster.kill(gone);
  const Result ls = lock({"ls"});
  EXPECT_EQ(ls.code, 69);
  EXPECT_TRUE(has(ls.err, cluster.url() + ": ")) << ls.err;
}

}  // namespace
}  // namespace tenure::test
