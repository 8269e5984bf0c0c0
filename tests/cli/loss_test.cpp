// A lease that is lost while the command runs: the command is gone before the name can be another's.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Writes the time since boot, again and again, and does not listen to SIGTERM.
Words stamp(const std::filesystem::path& file) {
  return shell("trap '' TERM; echo $TENURE_TOKEN; while read up rest </proc/uptime; do echo $up >>" +
               file.string() + "; sleep 0.005; done");
}

struct Stamps {
  double first = 0;
  double last = 0;
};

Stamps read_stamps(const std::filesystem::path& file) {
  std::ifstream in(file);
  Stamps stamps;
  in >> stamps.first;
  stamps.last = stamps.first;
  for (double next = 0; in >> next;) stamps.last = next;
  return stamps;
}

// T36: the holder cannot renew any more, the other side can acquire.
TEST(Loss, APartitionedCommandIsDeadBeforeAnotherCanOwnTheName) {
  ReadyRedis redis;
  for (const char* user : {"alice", "bob"}) {
    redis.command({"ACL", "SETUSER", user, "on", ">secret", "allkeys", "allcommands"});
  }
  const auto hers = redis.directory() / "hers";
  const auto his = redis.directory() / "his";
  const auto alice =
      start_tenure(Job{.options = {"--ttl", "1s"}, .command = stamp(hers)}.words(redis.url("alice:secret")));
  const long token = number_printed(*alice);
  const auto bob =
      start_tenure(Job{.options = {"--ttl", "1s"}, .command = stamp(his)}.words(redis.url("bob:secret")));
  redis.command({"ACL", "SETUSER", "alice", "-@all"});
  const auto expires_at = static_cast<double>(redis.command({"PEXPIRETIME", "redlock:job"}).integer) / 1000 -
                          seconds_on(CLOCK_REALTIME) + seconds_on(CLOCK_BOOTTIME);

  EXPECT_EQ(alice->exit_code(), 79);
  EXPECT_TRUE(has(alice->err(), "tenure: lost job: it could not be renewed in time")) << alice->err();
  EXPECT_FALSE(has(alice->err(), "did not act in time")) << "the watchdog had to do it";
  EXPECT_GT(number_printed(*bob), token);
  EXPECT_TRUE(wait_until([&] { return read_stamps(his).first > 0; }));
  EXPECT_LT(read_stamps(hers).last, expires_at);
  EXPECT_LT(read_stamps(hers).last, read_stamps(his).first);
}

// F5
TEST(Loss, AStoppedTenureCannotKeepItsCommandAlive) {
  ReadyRedis redis;
  const auto file = redis.directory() / "stamps";
  const auto holder =
      start_tenure(Job{.options = {"--ttl", "1s"}, .command = stamp(file)}.words(redis.url()));
  number_printed(*holder);
  holder->send(SIGSTOP);
  EXPECT_TRUE(wait_until([&] { return keys(redis) == only_record; }));
  const double free_at = seconds_on(CLOCK_BOOTTIME);
  EXPECT_GT(read_stamps(file).last, 0);
  const double last = read_stamps(file).last;
  EXPECT_LT(last, free_at);
  EXPECT_FALSE(wait_until([&] { return read_stamps(file).last > last; }, std::chrono::milliseconds(50)));
  holder->send(SIGCONT);
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_TRUE(has(holder->err(), "tenure did not act in time")) << holder->err();
}

// F3
TEST(Loss, ARedisThatStandsStillCostsTheLeaseAndTheCommandInTime) {
  ReadyRedis redis;
  const auto file = redis.directory() / "stamps";
  const auto holder =
      start_tenure(Job{.options = {"--ttl", "1s"}, .command = stamp(file)}.words(redis.url()));
  number_printed(*holder);
  redis.pause();
  const double paused_at = seconds_on(CLOCK_BOOTTIME);
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_LT(read_stamps(file).last, paused_at + 1);
  redis.resume();
  EXPECT_TRUE(wait_until([&] { return keys(redis) == only_record; }));
}

TEST(Loss, ACommandThatListensHasTheGraceToEnd) {
  ReadyRedis redis;
  const auto holder = start_tenure(
      Job{.options = {"--ttl", "1s", "--grace", "300ms"},
          .command = shell("trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.02; done")}
          .words(redis.url()));
  ASSERT_TRUE(prints(*holder, "ready"));
  redis.pause();
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_TRUE(has(holder->out(), "tidy"));
}

// As by Ctrl-Z, after it was told to end.
TEST(Loss, ACommandThatStopsWhileItIsToEndIsContinued) {
  ReadyRedis redis;
  const auto holder = start_tenure(
      Job{.options = {"--ttl", "2s", "--grace", "800ms"},
          .command =
              shell("trap 'kill -TSTP $$; echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.02; done")}
          .words(redis.url()));
  ASSERT_TRUE(prints(*holder, "ready"));
  redis.pause();
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_TRUE(has(holder->out(), "tidy"));
}

// T33, F9
TEST(Loss, AKeyDeletedByHandEndsTheCommandAtTheNextRenewal) {
  ReadyRedis redis;
  const auto holder = start_tenure(Job{.options = {"--ttl", "600ms"}, .command = stay()}.words(redis.url()));
  number_printed(*holder);
  redis.command({"DEL", "redlock:job"});
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_TRUE(has(holder->err(), "tenure: lost job: its key is gone from the store")) << holder->err();
  EXPECT_EQ(keys(redis), only_record);
}

// T45
TEST(Loss, AKeyThatShowsAnotherGrantIsLeftAlone) {
  ReadyRedis redis;
  const auto holder = start_tenure(Job{.options = {"--ttl", "600ms"}, .command = stay()}.words(redis.url()));
  number_printed(*holder);
  redis.command({"SET", "redlock:job", "web-4#00000000000000aa#9"});
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_TRUE(has(holder->err(), "shows another grant")) << holder->err();
  EXPECT_EQ(redis.command({"GET", "redlock:job"}).text, "web-4#00000000000000aa#9");
}

TEST(Loss, AKeyThatIsGoneWhenTheCommandEndsIsALossToo) {
  ReadyRedis redis;
  const auto holder = start_tenure(Job{.command = stay()}.words(redis.url()));
  number_printed(*holder);
  redis.command({"DEL", "redlock:job"});
  holder->send(SIGTERM);
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_TRUE(has(holder->err(), "its lease was gone from the nodes when the command ended"))
      << holder->err();
}

TEST(Loss, ARedisThatDiesAtTheEndDoesNotHideTheCommandsExitCode) {
  ReadyRedis redis;
  const auto holder = start_tenure(Job{.command = shell("echo ready; read line; exit 3")}.words(redis.url()));
  ASSERT_TRUE(prints(*holder, "ready"));
  EXPECT_EQ(holder->exit_code(), 3);
  const auto orphaned = start_tenure(Job{.command = stay()}.words(redis.url()));
  number_printed(*orphaned);
  redis.kill();
  orphaned->send(SIGTERM);
  EXPECT_EQ(orphaned->exit_code(), 128 + SIGTERM);
  EXPECT_TRUE(has(orphaned->err(), "could not release job, which ends by itself within 30s"))
      << orphaned->err();
}

}  // namespace
}  // namespace tenure::test
