// tenure redis up and down: a set of servers by one command (L10), which touches nothing that is not its own.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

namespace fs = std::filesystem;

bool is_free(int port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  close(probe);
  return bound;
}

// Below those that the kernel gives to connections, and far from 6379. Tests that run at the same time have other
// pids, and so look at other ports: between this look and the start of a server they could take them.
int first_of_free_ports(int count) {
  constexpr int each = 20;
  for (int begin = getpid() % 500 * each;; begin = (begin + each) % 10'000) {
    for (int first = 20'000 + begin; first + count <= 20'000 + begin + each; first += count) {
      bool all = true;
      for (int i = 0; i < count; ++i) all = all && is_free(first + i);
      if (all) return first;
    }
  }
}

pid_t pid_in(const fs::path& file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  return pid;
}

class RedisUpTest : public testing::Test {
 protected:
  RedisUpTest() : port(first_of_free_ports(4)) {
    std::string name = "/tmp/tenure-up-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory under /tmp");
    home = name;
    root = home / "set of three";  // with spaces: they stand in the configuration
  }
  ~RedisUpTest() override {
    down();
    // Whatever down has left, by the pid files of this test's own directory.
    for (int i = 0; i < 4; ++i) {
      if (const pid_t pid = pid_of(i); pid > 0 && is_server(pid, i)) kill(pid, SIGKILL);
    }
    std::error_code ignored;
    fs::remove_all(home, ignored);
  }

  Result up(const Words& more = {}, const Words& environment = {}) {
    return tenure(Words{"redis", "up", "--port", std::to_string(port), "--dir", root.string()} + more,
                  environment);
  }
  Result down() { return tenure({"redis", "down", "--dir", root.string()}); }

  fs::path directory(int i) const { return root / std::to_string(port + i); }
  pid_t pid_of(int i) const { return pid_in(directory(i) / "redis.pid"); }
  bool is_server(pid_t pid, int i) const {
    std::error_code error;
    return fs::equivalent("/proc/" + std::to_string(pid) + "/cwd", directory(i) / "data", error);
  }
  bool runs(int i) const { return pid_of(i) > 0 && is_server(pid_of(i), i); }
  std::string url(int i) const { return "redis://127.0.0.1:" + std::to_string(port + i); }
  std::string export_line() const {
    return "export TENURE_REDIS=" + url(0) + "," + url(1) + "," + url(2) + "\n";
  }
  Words environment() const { return {"TENURE_REDIS=" + url(0) + "," + url(1) + "," + url(2)}; }
  std::string port_says(int i, const std::string& what) const {
    return "tenure: port " + std::to_string(port + i) + ": " + what;
  }

  int port;
  fs::path home;  // of this test alone
  fs::path root;
};

TEST_F(RedisUpTest, L10_OneCommandMakesASetThatLocks) {
  const Result result = up();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, export_line());
  EXPECT_TRUE(has(result.err, port_says(1, "started, its data is in " + directory(1).string())))
      << result.err;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(runs(i)) << i;
  const Result locked = tenure({"run", "job", "-n", "--", "sh", "-c", "exit 3"}, environment());
  EXPECT_EQ(locked.code, 3) << locked.err;
  const Result healthy = tenure({"doctor"}, environment());
  EXPECT_EQ(healthy.code, 0) << healthy.out;
  EXPECT_TRUE(has(healthy.out, "Healthy nodes: 3 / 3")) << healthy.out;
}

TEST_F(RedisUpTest, AgainItStartsOnlyWhatIsMissing) {
  ASSERT_EQ(up().code, 0);
  const std::vector<pid_t> before{pid_of(0), pid_of(1), pid_of(2)};
  kill(before[1], SIGKILL);
  ASSERT_TRUE(wait_until([&] { return !is_server(before[1], 1); }));
  const Result result = up();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, export_line());
  EXPECT_TRUE(has(result.err, port_says(0, "already running"))) << result.err;
  EXPECT_TRUE(has(result.err, port_says(1, "started again with the data in "))) << result.err;
  EXPECT_EQ(pid_of(0), before[0]);
  EXPECT_EQ(pid_of(2), before[2]);
  EXPECT_NE(pid_of(1), before[1]);
  EXPECT_TRUE(runs(1));
}

// A node that has lost its data may have forgotten leases: it must not be called new.
TEST_F(RedisUpTest, ANodeWithoutDataBesideOthersIsNotDeclaredNew) {
  ASSERT_EQ(up().code, 0);
  const pid_t victim = pid_of(1);
  kill(victim, SIGKILL);
  ASSERT_TRUE(wait_until([&] { return !is_server(victim, 1); }));
  fs::remove_all(directory(1));
  const Result result = up();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(has(result.err, "made: this Redis is ready")) << result.err;
  EXPECT_TRUE(has(result.err, port_says(1, "no data, beside others that have some"))) << result.err;
  EXPECT_TRUE(has(tenure({"doctor", "--json"}, environment()).out, R"("record": "absent")"));
}

// A server that keeps nothing on disk looks as new after a restart as on its first day, and has forgotten leases.
TEST_F(RedisUpTest, OneThatKeepsNothingIsNewOnlyOnce) {
  fs::create_directories(directory(0));
  std::ofstream(directory(0) / "redis.conf")
      << "port " << port << "\nbind 127.0.0.1\ndir \"" << (directory(0) / "data").string() << "\"\npidfile \""
      << (directory(0) / "redis.pid").string() << "\"\nappendonly no\nsave \"\"\nlogfile /dev/null\n";
  const Result first = up({"1"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(has(first.err, "made: this Redis is ready")) << first.err;
  const Words here{"TENURE_REDIS=" + url(0)};
  const auto holder = start_tenure(Words{"run", "job", "--"} + stay(), here);
  number_printed(*holder);

  const pid_t victim = pid_of(0);
  kill(victim, SIGKILL);
  ASSERT_TRUE(wait_until([&] { return !is_server(victim, 0); }));
  const Result again = up({"1"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_FALSE(has(again.err, "made: this Redis is ready")) << again.err;
  EXPECT_TRUE(has(again.err, "new leases after a quarantine")) << again.err;
  EXPECT_EQ(tenure({"run", "job", "-n", "--", "true"}, here).code, 76);
  EXPECT_TRUE(holder->running()) << holder->err();
}

// A first start that failed leaves nothing that would cost a quarantine later.
TEST_F(RedisUpTest, OneThatNeverStartedIsStillNew) {
  fs::create_directories(directory(0));
  std::ofstream(directory(0) / "redis.conf") << "port " << port << "\nno-such-setting yes\n";
  EXPECT_EQ(up({"1"}).code, 69);
  EXPECT_FALSE(fs::exists(directory(0) / "data"));
  fs::remove(directory(0) / "redis.conf");
  const Result result = up({"1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.err, "made: this Redis is ready")) << result.err;
}

TEST_F(RedisUpTest, DownEndsThemAndKeepsTheirData) {
  ASSERT_EQ(up().code, 0);
  const pid_t first = pid_of(0);
  const Result result = down();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(has(result.err, port_says(2, "ended, its data stays in " + directory(2).string())))
      << result.err;
  EXPECT_FALSE(is_server(first, 0));
  const Result nothing = down();
  EXPECT_EQ(nothing.code, 0);
  EXPECT_TRUE(has(nothing.err, "nothing runs from ")) << nothing.err;
  ASSERT_EQ(up().code, 0);
  const Result doctor = tenure({"doctor"}, environment());
  EXPECT_TRUE(has(doctor.out, "it was restarted since its record was written")) << doctor.out;
}

TEST_F(RedisUpTest, APortThatIsTakenIsNamedAndNothingIsStarted) {
  Process stranger({"redis-server", "--port", std::to_string(port + 2), "--save", "", "--dir", "/tmp"});
  ASSERT_TRUE(wait_until([&] { return !is_free(port + 2); }));
  const Result result = up();
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(has(result.err, "tenure: port " + std::to_string(port + 2) + " is taken by a Redis "))
      << result.err;
  EXPECT_TRUE(has(result.err, "(process " + std::to_string(stranger.pid()) + ")")) << result.err;
  EXPECT_TRUE(is_free(port));
  EXPECT_FALSE(fs::exists(directory(0)));
  EXPECT_EQ(down().code, 0);
  EXPECT_TRUE(stranger.running());
}

TEST_F(RedisUpTest, WhenOneDoesNotStartTheOthersAreTakenBackAndWhatRanStays) {
  ASSERT_EQ(up({"1"}).code, 0);
  fs::create_directories(directory(2));
  std::ofstream(directory(2) / "redis.conf") << "port " << port + 2 << "\nno-such-setting yes\n";
  const Result result = up();
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(
      has(result.err, "the server on port " + std::to_string(port + 2) + " does not start; it says: "))
      << result.err;
  EXPECT_TRUE(runs(0));
  EXPECT_FALSE(fs::exists(directory(1)));
  EXPECT_TRUE(is_free(port + 1));
}

TEST_F(RedisUpTest, ABadCapInTheEnvironmentIsNamedBeforeAnythingIsStarted) {
  for (const auto& [cap, says] : {std::pair{"soon", "TENURE_TTL_MAX: "}, std::pair{"1ms", "is too short"}}) {
    const Result result = up({}, {std::string("TENURE_TTL_MAX=") + cap});
    EXPECT_EQ(result.code, 64) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(has(result.err, says)) << result.err;
    EXPECT_FALSE(fs::exists(root));
  }
}

// They are for other nodes: these are reached over this machine alone.
TEST_F(RedisUpTest, SettingsOfTlsInTheEnvironmentDoNotConcernIt) {
  const Result result = up({"1"}, {"TENURE_TLS_CA=/no/such", "TENURE_TLS_NAME=redis.example.com"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.err, "made: this Redis is ready")) << result.err;
  EXPECT_EQ(tenure({"run", "job", "-n", "--", "true"}, {"TENURE_REDIS=" + url(0)}).code, 0);
}

TEST_F(RedisUpTest, DownLeavesAProcessAloneThatIsNotItsServer) {
  ASSERT_EQ(up({"1"}).code, 0);
  const pid_t mine = pid_of(0);
  RedisServer stranger;
  std::ofstream(directory(0) / "redis.pid") << stranger.pid() << "\n";
  const Result result = down();
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(has(result.err, "nothing runs from ")) << result.err;
  EXPECT_EQ(stranger.command({"PING"}).text, "PONG");
  std::ofstream(directory(0) / "redis.pid") << mine << "\n";
}

TEST_F(RedisUpTest, TwoAtTheSameTimeMakeOneSet) {
  const Words words{"redis", "up", "--port", std::to_string(port), "--dir", root.string()};
  const auto one = start_tenure(words);
  const auto other = start_tenure(words);
  EXPECT_EQ(one->exit_code(), 0) << one->err();
  EXPECT_EQ(other->exit_code(), 0) << other->err();
  EXPECT_EQ(one->out(), export_line());
  EXPECT_EQ(other->out(), export_line());
  EXPECT_TRUE(has(one->err() + other->err(), port_says(0, "already running")));
}

TEST_F(RedisUpTest, TheDirectoryFollowsTheEnvironment) {
  root = home / "tenure" / "redis";
  const Words by_variable{"XDG_STATE_HOME=" + home.string(), "HOME=/nowhere"};
  const Result result = tenure({"redis", "up", "1", "--port", std::to_string(port)}, by_variable);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(runs(0));
  EXPECT_EQ(tenure({"redis", "down"}, by_variable).code, 0);
  EXPECT_FALSE(runs(0));
}

TEST_F(RedisUpTest, WithoutAServerProgramItSaysHowToGetOne) {
  const Result result = up({}, {"PATH=/nowhere"});
  EXPECT_EQ(result.code, 127);
  EXPECT_TRUE(has(result.err, "neither redis-server nor valkey-server in PATH: apt-get install redis-server"))
      << result.err;
  EXPECT_FALSE(fs::exists(directory(0)));
}

TEST(RedisUp, BadWordsAreNamed) {
  const auto says = [](const Words& words) {
    const Result result = tenure(Words{"redis"} + words);
    EXPECT_EQ(result.code, 64) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_TRUE(has(says({}), "redis wants a command of its own: up and down"));
  EXPECT_TRUE(has(says({"sideways"}), "\"sideways\""));
  EXPECT_TRUE(has(says({"up", "0"}), "\"0\" is not a number from 1 to 31"));
  EXPECT_TRUE(has(says({"up", "32"}), "\"32\" is not a number from 1 to 31"));
  EXPECT_TRUE(has(says({"up", "3x"}), "\"3x\""));
  EXPECT_TRUE(has(says({"up", "--port", "65536"}), "\"65536\" is not a number from 1 to 65535"));
  EXPECT_TRUE(has(says({"up", "--port", "65534"}), "3 ports from there on go beyond 65535"));
  EXPECT_TRUE(has(says({"up", "--dir", ""}), "--dir is empty"));
  EXPECT_TRUE(has(says({"down", "now"}), "\"now\""));
}

TEST_F(RedisUpTest, NobodyElseReadsOrWritesItsFilesWhateverTheUmask) {
  const Words words{"sh", "-c",     "umask 000; exec \"$@\"", "sh",    paths::program, "redis",
                    "up", "--port", std::to_string(port),     "--dir", root.string()};
  const Process process(words, {.environment = plain_environment()});
  EXPECT_EQ(process.exit_code(), 0) << process.err();
  std::vector<fs::path> all{root};
  for (const auto& entry : fs::recursive_directory_iterator(root)) all.push_back(entry.path());
  EXPECT_GT(all.size(), 6U);
  for (const auto& path : all) {
    EXPECT_EQ(fs::status(path).permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none)
        << path;
  }
}

}  // namespace
}  // namespace tenure::test
