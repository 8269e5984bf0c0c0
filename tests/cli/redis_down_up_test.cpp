// tenure redis down and up again: what is ended cleanly goes on where it was, and everything else is a quarantine.
#include "cli/servers_up.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class RedisDownUpTest : public RedisUpTest {
 protected:
  RedisDownUpTest() { EXPECT_EQ(up({"1"}).code, 0); }

  Words here() const { return {"TENURE_REDIS=" + url(0)}; }
  Result try_lock(const std::string& name) { return tenure({"run", name, "-n", "--", "true"}, here()); }
  std::unique_ptr<Process> hold(const std::string& name) {
    auto holder = start_tenure(Words{"run", name, "--ttl", "20s", "--"} + stay(), here());
    number_printed(*holder);
    return holder;
  }
  std::string redis_cli(const Words& words) const {
    const Process process(Words{"redis-cli", "-p", std::to_string(port)} + words);
    EXPECT_EQ(process.exit_code(), 0) << process.err();
    return process.out();
  }
  void kill_it() {
    const pid_t victim = pid_of(0);
    kill(victim, SIGKILL);
    ASSERT_TRUE(wait_until([&] { return !is_server(victim, 0); }));
  }
  void down_cleanly() {
    const Result result = down();
    ASSERT_EQ(result.code, 0) << result.err;
    ASSERT_FALSE(runs(0));
  }
  // Nothing but a quarantine follows.
  void expect_quarantine(const Result& result) {
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(has(result.err, "; new leases after a quarantine")) << result.err;
    const Result refused = try_lock("another");
    EXPECT_EQ(refused.code, 76) << refused.err;
  }
  static void copy(const fs::path& from, const fs::path& to) {
    const Process process({"cp", "-a", from.string(), to.string()});
    ASSERT_EQ(process.exit_code(), 0) << process.err();
  }
  fs::path note() const { return root / (std::to_string(port) + ".sealed"); }
};

TEST_F(RedisDownUpTest, LeasesGoOnAndNewOnesAreGrantedAtOnce) {
  const auto holder = hold("job");
  const std::string value = redis_cli({"GET", "redlock:job"});
  down_cleanly();
  const Result again = up({"1"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.err, port_says(0, "started again with the data in " + directory(0).string() +
                                              "; its leases go on, without a quarantine")))
      << again.err;
  const Result other = try_lock("another");
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(try_lock("job").code, 75);
  EXPECT_EQ(redis_cli({"GET", "redlock:job"}), value);
  // Renewed by its holder, which never noticed more than a lost connection.
  long left = std::stol(redis_cli({"PTTL", "redlock:job"}));
  EXPECT_TRUE(wait_until(
      [&] {
        const long before = std::exchange(left, std::stol(redis_cli({"PTTL", "redlock:job"})));
        return left > before;
      },
      15s));
  EXPECT_EQ(redis_cli({"GET", "redlock:job"}), value);
  EXPECT_TRUE(holder->running()) << holder->err();
}

TEST_F(RedisDownUpTest, ItWorksAgainAndAgain) {
  for (int i = 0; i < 3; ++i) {
    down_cleanly();
    ASSERT_EQ(up({"1"}).code, 0);
    EXPECT_EQ(try_lock("job").code, 0) << i;
  }
  EXPECT_FALSE(fs::exists(note()));
}

TEST_F(RedisDownUpTest, TwoThatStartItAtTheSameTimeBreakTheSealOnce) {
  down_cleanly();
  const Words words{"redis", "up", "1", "--port", std::to_string(port), "--dir", root.string()};
  const auto one = start_tenure(words);
  const auto other = start_tenure(words);
  EXPECT_EQ(one->exit_code(), 0) << one->err();
  EXPECT_EQ(other->exit_code(), 0) << other->err();
  EXPECT_TRUE(has(one->err() + other->err(), "already running"));
  EXPECT_EQ(try_lock("job").code, 0);
}

TEST_F(RedisDownUpTest, AfterAKillThereIsAQuarantineAlsoIfAnEarlierEndWasClean) {
  down_cleanly();
  ASSERT_EQ(up({"1"}).code, 0);
  kill_it();
  expect_quarantine(up({"1"}));
}

TEST_F(RedisDownUpTest, OlderDataInItsPlaceIsAQuarantine) {
  down_cleanly();
  copy(directory(0) / "data", home / "older");
  ASSERT_EQ(up({"1"}).code, 0);
  const auto holder = hold("job");  // of which the older data knows nothing
  down_cleanly();
  fs::remove_all(directory(0) / "data");
  copy(home / "older", directory(0) / "data");
  expect_quarantine(up({"1"}));
  EXPECT_EQ(try_lock("job").code, 76);
  EXPECT_TRUE(holder->running()) << holder->err();
}

// With what down has left for that data.
TEST_F(RedisDownUpTest, AnOlderCopyOfEverythingIsAQuarantine) {
  down_cleanly();
  ASSERT_TRUE(fs::exists(note()));
  copy(root, home / "older");
  ASSERT_EQ(up({"1"}).code, 0);
  const auto holder = hold("job");
  kill_it();
  fs::remove_all(root);
  fs::rename(home / "older", root);
  expect_quarantine(up({"1"}));
}

TEST_F(RedisDownUpTest, ANoteThatDoesNotFitIsAQuarantineAndIsGone) {
  down_cleanly();
  std::ifstream stream(note());
  std::string text(std::istreambuf_iterator<char>(stream), {});
  stream.close();
  // Another seal than that which the server wrote last: as if it had ended before that was on the disk.
  const auto seal = text.find("sealed-") + 7;
  const std::string before = text.substr(seal, 32);
  const std::string other(32, '0');
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before))
    text.replace(at, 32, other);
  std::ofstream(note()) << text;
  expect_quarantine(up({"1"}));
  EXPECT_FALSE(fs::exists(note()));
}

TEST_F(RedisDownUpTest, AnEndThatCouldNotSaveEverythingIsAQuarantine) {
  fs::create_directories(directory(0) / "data" / "dump.rdb" / "in the way");
  const Result result = down();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(fs::exists(note()));
  expect_quarantine(up({"1"}));
}

// The note is gone, and no client can reach the server.
TEST_F(RedisDownUpTest, AnUpThatWasKilledHalfwayIsAQuarantineAfterTheNextDown) {
  down_cleanly();
  fs::remove(note());
  const Process halfway({"redis-server", (directory(0) / "redis.conf").string(), "--port", "0",
                         "--unixsocket", (directory(0) / "up.sock").string()});
  ASSERT_TRUE(wait_until([&] { return runs(0); }));
  down_cleanly();
  EXPECT_FALSE(fs::exists(note()));
  expect_quarantine(up({"1"}));
}

TEST_F(RedisDownUpTest, AServerThatKeepsNothingByItselfGoesOnAsWell) {
  down_cleanly();
  std::ofstream(directory(0) / "redis.conf")
      << "port " << port << "\nbind 127.0.0.1\ndir \"" << (directory(0) / "data").string() << "\"\npidfile \""
      << (directory(0) / "redis.pid").string() << "\"\nappendonly no\nsave \"\"\n";
  ASSERT_EQ(up({"1"}).code, 0);
  down_cleanly();
  const Result again = up({"1"});
  EXPECT_TRUE(has(again.err, "its leases go on, without a quarantine")) << again.err;
}

TEST_F(RedisDownUpTest, InitAfterAKillSaysThatThereIsNothingToDoButWait) {
  kill_it();
  ASSERT_EQ(up({"1"}).code, 0);
  const Result before = tenure({"init"}, here());
  EXPECT_EQ(before.code, 73);
  EXPECT_TRUE(has(before.err,
                  "nothing was changed, and there is nothing to do but wait: it was restarted since its "
                  "record was written; new grants within 66s, once a client waits for them. tenure "
                  "doctor shows how long"))
      << before.err;
  EXPECT_EQ(try_lock("job").code, 76);
  const Result after = tenure({"init"}, here());
  EXPECT_EQ(after.code, 73);
  EXPECT_TRUE(has(after.err,
                  "nothing was changed, and there is nothing to do but wait: it was restarted, promoted or "
                  "restored from a copy, and may have forgotten leases; new grants "))
      << after.err;
}

TEST_F(RedisDownUpTest, InitOfOneThatIsOpenSaysNothingOfWaiting) {
  const Result result = tenure({"init"}, here());
  EXPECT_EQ(result.code, 73);
  EXPECT_TRUE(result.err.ends_with("(open, leases of at most 1m); nothing was changed\n")) << result.err;
}

}  // namespace
}  // namespace tenure::test
