// tenure redis up --cluster: one command makes a Redis Cluster in which a failover can be tried, and afterwards only the Cluster
// says who is a master of what.
#include <set>

#include "cli/servers_up.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;

class ClusterUpTest : public RedisUpTest {
 protected:
  static constexpr int members = 6;

  ClusterUpTest() { port = first_of_free_ports(2 * members); }
  ~ClusterUpTest() override {
    down();
    // Whatever down has left, by the pid files of this test's own directory.
    for (int i = 0; i < members; ++i) {
      if (runs(i)) kill(pid_of(i), SIGKILL);
    }
  }

  Result up_cluster(const Words& environment = {}) {
    const auto process = start_tenure(
        {"redis", "up", "--cluster", "--port", std::to_string(port), "--dir", root.string()}, environment);
    const int code = process->exit_code(patience);
    return {code, process->out(), process->err()};
  }
  std::string cluster_url() const {
    std::string url = "redis-cluster://";
    for (int i = 0; i < members; ++i)
      url += (i == 0 ? "" : ",") + std::string("127.0.0.1:") + std::to_string(port + i);
    return url;
  }

  fs::path cluster() const { return root / ("cluster-" + std::to_string(port)); }
  fs::path member(int i) const { return cluster() / std::to_string(port + i); }
  pid_t pid_of(int i) const { return pid_in(member(i) / "redis.pid"); }
  bool is_member(pid_t pid, int i) const {
    std::error_code error;
    return fs::equivalent("/proc/" + std::to_string(pid) + "/cwd", member(i) / "data", error);
  }
  bool runs(int i) const { return pid_of(i) > 0 && is_member(pid_of(i), i); }
  std::set<pid_t> pids() const {
    std::set<pid_t> all;
    for (int i = 0; i < members; ++i) {
      if (runs(i)) all.insert(pid_of(i));
    }
    return all;
  }

  // -c: where the Cluster says that it is.
  std::string ask(int i, const Words& words) const {
    const Process process(Words{"redis-cli", "-c", "-p", std::to_string(port + i)} + words);
    if (process.exit_code() != 0) return "";
    const std::string said = process.out();
    return said.substr(0, said.find('\n'));
  }
  bool is_master(int i) const { return ask(i, {"ROLE"}) == "master"; }
  void kill_member(int i) {
    const pid_t victim = pid_of(i);
    ASSERT_TRUE(is_member(victim, i));
    kill(victim, SIGKILL);
    ASSERT_TRUE(wait_until([&] { return !is_member(victim, i); }));
  }
};

TEST_F(ClusterUpTest, OneCommandMakesAClusterThatServesAllSlots) {
  const Result result = up_cluster();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "export TENURE_REDIS=" + cluster_url() + "\n");
  EXPECT_TRUE(has(result.err, port_says(5, "server started, its data is in " + member(5).string())))
      << result.err;
  EXPECT_TRUE(
      has(result.err, port_says(0, "is one of three masters; its replica takes its place after kill -9 " +
                                       std::to_string(pid_of(0)))))
      << result.err;
  EXPECT_TRUE(has(result.err, "made: this Redis Cluster is ready for Tenure: 16384 slots on 3 masters"))
      << result.err;
  EXPECT_EQ(pids().size(), 6U);
  for (const auto* key : {"foo", "bar", "hello", "a", "b"}) EXPECT_EQ(ask(3, {"SET", key, key}), "OK");
  for (const auto* key : {"foo", "bar", "hello", "a", "b"}) EXPECT_EQ(ask(1, {"GET", key}), key);

  const auto before = pids();
  const Result again = up_cluster();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, result.out);
  EXPECT_TRUE(has(again.err, port_says(3, "already running"))) << again.err;
  EXPECT_EQ(pids(), before);
}

TEST_F(ClusterUpTest, AMasterThatWasKilledComesBackAsTheReplicaOfTheOneThatTookItsPlace) {
  ASSERT_EQ(up_cluster().code, 0);
  kill_member(1);
  ASSERT_TRUE(wait_until([&] { return is_master(4); }, patience));
  const auto before = pids();
  const Result again = up_cluster();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.err, port_says(1, "server started again with the data in " + member(1).string() +
                                              "; new leases after a quarantine")))
      << again.err;
  EXPECT_TRUE(is_master(4));
  EXPECT_FALSE(is_master(1));
  for (const pid_t pid : before) EXPECT_TRUE(pids().contains(pid)) << pid;
}

TEST_F(ClusterUpTest, DownEndsAllAndTheNextUpGoesOnWithTheirData) {
  ASSERT_EQ(up_cluster().code, 0);
  ASSERT_EQ(ask(0, {"SET", "kept", "yes"}), "OK");
  const Result ended = down();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(has(ended.err, port_says(1, "ended, its data stays in " + member(1).string()))) << ended.err;
  EXPECT_TRUE(pids().empty());
  const Result again = up_cluster();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(ask(5, {"GET", "kept"}), "yes");
}

TEST_F(ClusterUpTest, AServerWhoseDataIsGoneIsNotStarted) {
  ASSERT_EQ(up_cluster().code, 0);
  ASSERT_EQ(down().code, 0);
  fs::remove_all(member(2));
  const Result again = up_cluster();
  EXPECT_EQ(again.code, 69);
  EXPECT_EQ(again.out, "");
  EXPECT_TRUE(has(again.err, port_says(2, "its data is gone from " + member(2).string()))) << again.err;
  EXPECT_TRUE(has(again.err, "Remove " + cluster().string() + " to begin anew. Nothing was started"))
      << again.err;
  EXPECT_TRUE(pids().empty());
}

TEST_F(ClusterUpTest, APortThatIsTakenIsNamedAndNothingIsStarted) {
  // That on which the third server would hear the others.
  Process stranger({"redis-server", "--port", std::to_string(port + 8), "--save", "", "--dir", "/tmp"});
  ASSERT_TRUE(wait_until([&] { return !is_free(port + 8); }));
  const Result result = up_cluster();
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(has(result.err, "tenure: port " + std::to_string(port + 8) + " is taken by a Redis "))
      << result.err;
  EXPECT_TRUE(has(result.err, "of which twelve in a row are needed. Nothing was started")) << result.err;
  EXPECT_FALSE(fs::exists(cluster()));
  EXPECT_TRUE(stranger.running());
}

TEST_F(ClusterUpTest, WhenOneDoesNotStartTheOthersAreTakenBack) {
  fs::create_directories(member(2));
  std::ofstream(member(2) / "redis.conf") << "port " << port + 2 << "\nno-such-setting yes\n";
  const Result result = up_cluster();
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(has(result.err, "the server on port " + std::to_string(port + 2) +
                                  " does not start (its configuration is " +
                                  (member(2) / "redis.conf").string() + "); it says: "))
      << result.err;
  EXPECT_TRUE(has(result.err, "; what was started by this call was ended again")) << result.err;
  for (int i = 0; i < members; ++i) EXPECT_EQ(fs::exists(member(i)), i == 2) << i;
  EXPECT_TRUE(pids().empty());
}

TEST_F(ClusterUpTest, WithoutAServerProgramNothingIsStarted) {
  const Result result = up_cluster({"PATH=/nowhere"});
  EXPECT_EQ(result.code, 127);
  EXPECT_TRUE(has(result.err, "neither redis-server nor valkey-server in PATH")) << result.err;
  EXPECT_FALSE(fs::exists(cluster()));
}

TEST(ClusterUp, BadWordsAreNamed) {
  const auto says = [](const Words& words) {
    const Result result = tenure(Words{"redis", "up", "--cluster"} + words);
    EXPECT_EQ(result.code, 64) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_TRUE(has(says({"3"}), "--cluster starts six servers: it wants no number"));
  EXPECT_TRUE(has(says({"--sentinel"}), "--sentinel and --cluster start different things"));
  EXPECT_TRUE(has(says({"--port", "65525"}), "12 ports from there on go beyond 65535"));
}

}  // namespace
}  // namespace tenure::test
