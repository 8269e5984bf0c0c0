// tenure redis up --sentinel: one command makes a group in which a failover can be tried, and afterwards only its Sentinels say
// who the master is.
#include <map>

#include "cli/servers_up.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;

// For what waits until servers know each other, or until a quarantine is over.
Result patiently(const Words& words, const Words& environment) {
  const auto process = start_tenure(words, environment);
  const int code = process->exit_code(patience);
  return {code, process->out(), process->err()};
}

class SentinelUpTest : public RedisUpTest {
 protected:
  // In the order of their ports.
  static constexpr int sentinels = 3;
  static constexpr int members = 6;

  SentinelUpTest() { port = first_of_free_ports(members); }
  ~SentinelUpTest() override {
    down();
    // Whatever down has left, by the pid files of this test's own directory.
    for (int i = 0; i < members; ++i) {
      if (const pid_t pid = pid_of(i); pid > 0 && is_member(pid, i)) kill(pid, SIGKILL);
    }
  }

  // With a cap, and so a quarantine, that a test can wait for.
  Result up_group() {
    return patiently({"redis", "up", "--sentinel", "--port", std::to_string(port), "--dir", root.string()},
                     short_cap);
  }
  Words here() const { return Words{"TENURE_REDIS=" + group_url()} + short_cap; }
  std::string group_url() const {
    std::string url = "redis-sentinel://";
    for (int i = 0; i < sentinels; ++i)
      url += (i == 0 ? "" : ",") + std::string("127.0.0.1:") + std::to_string(port + i);
    return url + "/0#mymaster";
  }

  fs::path group() const { return root / ("sentinel-" + std::to_string(port)); }
  fs::path member(int i) const { return group() / std::to_string(port + i); }
  pid_t pid_of(int i) const { return pid_in(member(i) / (i < sentinels ? "sentinel.pid" : "redis.pid")); }
  bool is_member(pid_t pid, int i) const {
    std::error_code error;
    return fs::equivalent("/proc/" + std::to_string(pid) + "/cwd", member(i) / "data", error);
  }
  bool runs(int i) const { return pid_of(i) > 0 && is_member(pid_of(i), i); }
  std::map<int, pid_t> pids() const {
    std::map<int, pid_t> all;
    for (int i = 0; i < members; ++i) {
      if (runs(i)) all[i] = pid_of(i);
    }
    return all;
  }

  Words ask(int i, const Words& words) const {
    const Process process(Words{"redis-cli", "-p", std::to_string(port + i)} + words);
    if (process.exit_code() != 0) return {};
    Words lines;
    std::istringstream stream(process.out());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  // Ports of connections that were closed count as taken for a while, so it is not asked whether they are free.
  bool answers(int i) const { return !ask(i, {"PING"}).empty(); }
  std::string role(int i) const {
    const Words answer = ask(i, {"ROLE"});
    return answer.empty() ? "none" : answer.front();
  }
  int masters() const {
    int count = 0;
    for (int i = sentinels; i < members; ++i) count += role(i) == "master" ? 1 : 0;
    return count;
  }
  // Of whom all Sentinels say that it is the master; -1 while they do not agree.
  int master() const {
    Words first;
    for (int i = 0; i < sentinels; ++i) {
      const Words answer = ask(i, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"});
      if (answer.size() != 2 || (i > 0 && answer != first)) return -1;
      first = answer;
    }
    return std::stoi(first[1]) - port;
  }
  void kill_member(int i) {
    const pid_t victim = pid_of(i);
    ASSERT_TRUE(is_member(victim, i));
    kill(victim, SIGKILL);
    ASSERT_TRUE(wait_until([&] { return !is_member(victim, i); }));
  }
  // Kills the master, and gives the one that was promoted.
  int fail_over() {
    const int before = master();
    kill_member(before);
    EXPECT_TRUE(wait_until(
        [&] {
          const int now = master();
          return now >= 0 && now != before && role(now) == "master";
        },
        patience));
    return master();
  }
  // Has anybody told it to be a replica while it ran?
  bool was_demoted(int i) const {
    std::ifstream stream(member(i) / "redis.log");
    return has(std::string(std::istreambuf_iterator<char>(stream), {}), "enabled (user request");
  }
  long token_of_a_lock() {
    const Result locked = patiently(
        {"run", "job", "--wait", "60s", "--ttl", "1s", "--", "sh", "-c", "echo $TENURE_TOKEN"}, here());
    EXPECT_EQ(locked.code, 0) << locked.err;
    return locked.code == 0 ? std::stol(locked.out) : -1;
  }

  const Words short_cap{"TENURE_TTL_MAX=2s"};
};

TEST_F(SentinelUpTest, L10_OneCommandMakesAGroupThatLocks) {
  const Result result = up_group();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "export TENURE_REDIS=" + group_url() + "\n");
  EXPECT_TRUE(has(result.err, port_says(0, "Sentinel started, its data is in " + member(0).string())))
      << result.err;
  EXPECT_TRUE(has(result.err, port_says(5, "replica started, its data is in " + member(5).string())))
      << result.err;
  EXPECT_EQ(pids().size(), 6U);
  const Result locked = tenure({"run", "job", "-n", "--", "sh", "-c", "exit 3"}, here());
  EXPECT_EQ(locked.code, 3) << locked.err;
  const Result healthy = tenure({"doctor"}, here());
  EXPECT_TRUE(has(healthy.out, "Status: ALL NODES HEALTHY")) << healthy.out;
  EXPECT_TRUE(has(healthy.out, "2 replicas")) << healthy.out;
  EXPECT_FALSE(has(healthy.out, "min-replicas-to-write is 0")) << healthy.out;

  const auto before = pids();
  const Result again = up_group();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, result.out);
  EXPECT_TRUE(has(again.err, port_says(3, "already running"))) << again.err;
  EXPECT_EQ(pids(), before);
}

TEST_F(SentinelUpTest, ANameIsGrantedAgainAfterTheMasterWasKilled) {
  const Result result = up_group();
  ASSERT_EQ(result.code, 0) << result.err;
  const int first = master();
  EXPECT_TRUE(
      has(result.err, port_says(first, "is the master; the Sentinels promote another one after kill -9 " +
                                           std::to_string(pid_of(first)))))
      << result.err;
  const long token = token_of_a_lock();
  kill_member(first);
  EXPECT_GT(token_of_a_lock(), token);
  EXPECT_NE(master(), first);
}

TEST_F(SentinelUpTest, UpLeavesThePromotedMasterAloneAndTheOldOneComesBackAsItsReplica) {
  ASSERT_EQ(up_group().code, 0);
  const int old = master();
  const int promoted = fail_over();
  const auto before = pids();
  ASSERT_EQ(before.size(), 5U);
  const Result again = up_group();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.err, port_says(old, "replica started again with the data in "))) << again.err;
  EXPECT_TRUE(has(again.err, port_says(promoted, "is the master"))) << again.err;
  for (const auto& [i, pid] : before) EXPECT_EQ(pid_of(i), pid) << i;
  EXPECT_EQ(master(), promoted);
  EXPECT_EQ(role(promoted), "master");
  EXPECT_EQ(masters(), 1);
  // Not even until the Sentinels saw it.
  EXPECT_FALSE(was_demoted(old));
}

TEST_F(SentinelUpTest, UpRightAfterTheMasterDiedWaitsForTheFailover) {
  ASSERT_EQ(up_group().code, 0);
  const int old = master();
  kill_member(old);
  const Result again = up_group();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(
      has(again.err, port_says(old, "the master has ended; waiting for the Sentinels to promote another")))
      << again.err;
  EXPECT_NE(master(), old);
  EXPECT_EQ(masters(), 1);
  EXPECT_FALSE(was_demoted(old));
}

TEST_F(SentinelUpTest, DownEndsAllAndTheNextUpGoesOnWithTheirDataAndTheirMaster) {
  ASSERT_EQ(up_group().code, 0);
  const long token = token_of_a_lock();
  const int promoted = fail_over();
  ask(promoted, {"SET", "kept", "yes"});
  const auto before = pids();
  const Result ended = down();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(has(ended.err, port_says(1, "ended, its data stays in " + member(1).string()))) << ended.err;
  for (const auto& [i, pid] : before) EXPECT_FALSE(is_member(pid, i)) << i;

  const Result again = up_group();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(
      has(again.err, port_says(promoted, "master started again with the data in " +
                                             member(promoted).string() + "; new leases after a quarantine")))
      << again.err;
  EXPECT_FALSE(has(again.err, "this Redis is ready")) << again.err;
  EXPECT_EQ(master(), promoted);
  EXPECT_EQ(masters(), 1);
  EXPECT_EQ(ask(promoted, {"GET", "kept"}), Words{"yes"});
  EXPECT_GT(token_of_a_lock(), token);
}

// Its replicas would copy the nothing that it has.
TEST_F(SentinelUpTest, AMasterWhoseDataIsGoneIsNotStarted) {
  ASSERT_EQ(up_group().code, 0);
  ask(master(), {"SET", "kept", "yes"});
  const int lost = master();
  ASSERT_EQ(down().code, 0);
  fs::remove_all(member(lost));
  const Result again = up_group();
  EXPECT_EQ(again.code, 69);
  EXPECT_EQ(again.out, "");
  EXPECT_TRUE(has(again.err, port_says(lost, "the data of the master is gone from " + member(lost).string())))
      << again.err;
  EXPECT_TRUE(pids().empty());
}

TEST_F(SentinelUpTest, APortThatIsTakenIsNamedAndNothingIsStarted) {
  Process stranger({"redis-server", "--port", std::to_string(port + 4), "--save", "", "--dir", "/tmp"});
  ASSERT_TRUE(wait_until([&] { return !is_free(port + 4); }));
  const Result result = up_group();
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(has(result.err, "tenure: port " + std::to_string(port + 4) + " is taken by a Redis "))
      << result.err;
  EXPECT_TRUE(has(result.err, "(process " + std::to_string(stranger.pid()) +
                                  "): end it, or take others with --port, of which six in a row are needed. "
                                  "Nothing was started"))
      << result.err;
  for (const int i : {0, 1, 2, 3, 5}) EXPECT_TRUE(is_free(port + i)) << i;
  EXPECT_FALSE(fs::exists(group()));
  EXPECT_TRUE(stranger.running());
}

TEST_F(SentinelUpTest, WhenOneDoesNotStartTheOthersAreTakenBack) {
  fs::create_directories(member(2));
  std::ofstream(member(2) / "sentinel.conf") << "port " << port + 2 << "\nno-such-setting yes\n";
  const Result result = up_group();
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(has(result.err, "the Sentinel on port " + std::to_string(port + 2) +
                                  " does not start (its configuration is " +
                                  (member(2) / "sentinel.conf").string() + "); it says: "))
      << result.err;
  EXPECT_TRUE(has(result.err, "; what was started by this call was ended again")) << result.err;
  for (int i = 0; i < members; ++i) {
    EXPECT_FALSE(answers(i)) << i;
    EXPECT_EQ(fs::exists(member(i)), i == 2) << i;
  }
  fs::remove_all(member(2));
  const Result new_again = up_group();
  EXPECT_EQ(new_again.code, 0) << new_again.err;
  EXPECT_TRUE(has(new_again.err, "this Redis is ready")) << new_again.err;
}

TEST_F(SentinelUpTest, WithoutAServerProgramOrADirectoryNothingIsStarted) {
  const Result no_program = up({"--sentinel"}, {"PATH=/nowhere"});
  EXPECT_EQ(no_program.code, 127);
  EXPECT_TRUE(has(no_program.err, "neither redis-server nor valkey-server in PATH")) << no_program.err;
  EXPECT_TRUE(has(no_program.err, "A Sentinel is the same program")) << no_program.err;
  EXPECT_FALSE(fs::exists(group()));

  root = home / "a file" / "below";
  std::ofstream(home / "a file") << "in the way";
  const Result no_directory = up({"--sentinel"});
  EXPECT_EQ(no_directory.code, 125);
  EXPECT_TRUE(has(no_directory.err, "cannot make " + root.string())) << no_directory.err;
  for (int i = 0; i < members; ++i) EXPECT_TRUE(is_free(port + i)) << i;
}

TEST_F(SentinelUpTest, IndependentServersAreNeighboursThatItLeavesAlone) {
  ASSERT_EQ(up_group().code, 0);
  const auto before = pids();
  const int other = port + members;
  const Result plain =
      tenure({"redis", "up", "1", "--port", std::to_string(other), "--dir", root.string()}, short_cap);
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(plain.out, "export TENURE_REDIS=redis://127.0.0.1:" + std::to_string(other) + "\n");
  EXPECT_EQ(pids(), before);
  EXPECT_EQ(down().code, 0);
  EXPECT_TRUE(pids().empty());
  EXPECT_FALSE(answers(members));
}

TEST(SentinelUp, BadWordsAreNamed) {
  const auto says = [](const Words& words) {
    const Result result = tenure(Words{"redis", "up", "--sentinel"} + words);
    EXPECT_EQ(result.code, 64) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_TRUE(has(says({"3"}), "--sentinel starts three servers and three Sentinels: it wants no number"));
  EXPECT_TRUE(has(says({"--port", "65531"}), "6 ports from there on go beyond 65535"));
}

}  // namespace
}  // namespace tenure::test
