// tenure redis up and down: a set of servers by one command (L10), which touches nothing that is not its own.
#include "cli/servers_up.hpp"

namespace tenure::test {
namespace {

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

// Whoever has named the set in the environment is not refused by the servers that were started there.
TEST_F(RedisUpTest, TheSetHasTheNameInTheEnvironment) {
  const Words named{"TENURE_NODE_SET=billing"};
  const Result result = up({}, named);
  EXPECT_EQ(result.code, 0) << result.err;
  const Result locked = tenure({"run", "job", "-n", "--", "true"}, environment() + named);
  EXPECT_EQ(locked.code, 0) << locked.err;
  EXPECT_EQ(tenure({"run", "job", "-n", "--", "true"}, environment()).code, 76);
}

TEST_F(RedisUpTest, ABadNameInTheEnvironmentStartsNothing) {
  EXPECT_EQ(up({}, {"TENURE_NODE_SET=a b"}).code, 64);
  EXPECT_FALSE(fs::exists(root));
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
  EXPECT_TRUE(has(result.err, "the server on port " + std::to_string(port + 2) +
                                  " does not start (its configuration is " +
                                  (directory(2) / "redis.conf").string() + "); it says: "))
      << result.err;
  EXPECT_TRUE(runs(0));
  EXPECT_FALSE(fs::exists(directory(1)));
  EXPECT_TRUE(is_free(port + 1));
}

TEST_F(RedisUpTest, ABadCapInTheEnvironmentIsNamedBeforeAnythingIsStarted) {
  for (const auto& [cap, says] :
       {std::pair{"soon", "TENURE_TTL_MAX: "}, std::pair{"1ms", "TENURE_TTL_MAX: 1ms is not between"}}) {
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
