// The command as a process: signals, its group, what it inherits, and what becomes of what it started.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "cli/tenure_program.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

class ProcessTest : public testing::Test {
 protected:
  Result run(const Job& what) { return tenure(what.words(redis.url())); }
  std::unique_ptr<Process> start(const Job& what) { return start_tenure(what.words(redis.url())); }

  static bool is_gone(long pid) { return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; }
  // Or a zombie that its new parent has yet to notice.
  static bool is_dead(long pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    stat >> number >> name >> state;
    return !stat || state == "Z" || state == "X";
  }

  ReadyRedis redis;
};

// T37, L12
TEST_F(ProcessTest, SignalsArePassedOnAndTheNameIsFreeAfterwards) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM}) {
    const auto holder = start({.command = stay()});
    number_printed(*holder);
    holder->send(signal);
    EXPECT_EQ(holder->exit_code(), 128 + signal);
    EXPECT_EQ(keys(redis), only_record);
  }
}

TEST_F(ProcessTest, ACommandThatHandlesASignalDecidesHowItEnds) {
  const auto holder =
      start({.command = shell("trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.05; done")});
  ASSERT_TRUE(prints(*holder, "ready"));
  holder->send(SIGTERM);
  EXPECT_EQ(holder->exit_code(), 5);
  EXPECT_TRUE(has(holder->out(), "tidy"));
}

TEST_F(ProcessTest, ASignalThatWasIgnoredBeforeStaysIgnored) {
  Words words = Job{.command = shell("echo ready; sleep 0.3; exit 7")}.words(redis.url());
  words.insert(words.begin(), {"sh", "-c", "trap '' HUP; exec \"$@\"", "sh", paths::program});
  const Process nohup(words, {.environment = plain_environment()});
  ASSERT_TRUE(prints(nohup, "ready"));
  nohup.send(SIGHUP);
  EXPECT_EQ(nohup.exit_code(), 7);
}

TEST_F(ProcessTest, TheCommandHasItsSignalsAsTenureFoundThem) {
  // Blocked and ignored signals, as the kernel shows them.
  const Words show = shell("grep -E '^Sig(Blk|Ign):' /proc/self/status");
  const Process without(show);
  EXPECT_EQ(without.exit_code(), 0);
  EXPECT_EQ(run({.command = show}).out, without.out());
}

// T38
TEST_F(ProcessTest, NoDescriptorIsInherited) {
  const Words show = shell("ls /proc/self/fd");
  const Process without(show);
  EXPECT_EQ(without.exit_code(), 0);
  EXPECT_EQ(run({.command = show}).out, without.out());
}

// Otherwise a socket could take the number of stderr, and messages would go to Redis.
TEST_F(ProcessTest, ClosedStandardDescriptorsAreFilled) {
  const auto file = redis.directory() / "descriptors";
  Words words =
      Job{.command = shell("exec 3>" + file.string() + "; readlink /proc/$$/fd/0 /proc/$$/fd/2 >&3; exit 3")}
          .words(redis.url());
  words.insert(words.begin(), {"sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh", paths::program});
  const Process closed(words, {.environment = plain_environment()});
  EXPECT_EQ(closed.exit_code(), 3);
  std::ostringstream shown;
  shown << std::ifstream(file).rdbuf();
  EXPECT_EQ(shown.str(), "/dev/null\n/dev/null\n");
}

// T38
TEST_F(ProcessTest, GrandchildrenDoNotSurviveTheCommand) {
  const Result result = run({.command = shell("(trap '' TERM HUP; sleep 60) & echo $!; exit 3")});
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(is_gone(std::stol(result.out)));
}

TEST_F(ProcessTest, OrphansOfTheCommandAreNotLeftAsZombies) {
  const auto holder = start({.command = shell("sh -c 'sleep 0.01 & echo $!'; exec sleep 60")});
  const long orphan = number_printed(*holder);
  EXPECT_TRUE(wait_until([&] { return is_gone(orphan); }));
}

TEST_F(ProcessTest, NeitherTheCommandNorItsChildrenOutliveAKilledTenure) {
  const auto holder = start({.command = shell("sleep 60 & echo $$ $!; wait")});
  ASSERT_TRUE(prints(*holder, "\n"));
  std::istringstream words(holder->out());
  long command = 0;
  long grandchild = 0;
  words >> command >> grandchild;
  holder->send(SIGKILL);
  EXPECT_TRUE(wait_until([&] { return is_dead(command) && is_dead(grandchild); }));
}

// A stopped holder would keep the name from everybody.
TEST_F(ProcessTest, ACommandThatIsStoppedByTheTerminalGoesOn) {
  EXPECT_EQ(run({.command = shell("kill -TSTP $$; exit 8")}).code, 8);
}

TEST_F(ProcessTest, TenureIsNotStoppedByTheTerminal) {
  // Not dash, which starts others by vfork(): if the signal comes just then, it never stops, with or without tenure.
  const auto holder = start({.command = {"bash", "-c", "echo ready; sleep 0.2; exit 9"}});
  ASSERT_TRUE(prints(*holder, "ready"));
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) holder->send(signal);
  EXPECT_EQ(holder->exit_code(), 9);
}

TEST_F(ProcessTest, ACommandThatIsNotThereTouchesNothing) {
  const auto before = contents(redis);
  const Result in_path = run({.command = {"no-such-command", "x"}});
  EXPECT_EQ(in_path.code, 127);
  EXPECT_EQ(in_path.err, "tenure: command not found: no-such-command\n");
  EXPECT_EQ(run({.command = {"/no/such/command"}}).code, 127);
  EXPECT_EQ(run({.command = {""}}).code, 127);
  EXPECT_EQ(contents(redis), before);
}

TEST_F(ProcessTest, ACommandThatCannotBeRunTouchesNothing) {
  const auto before = contents(redis);
  const Result file = run({.command = {"/etc/passwd"}});
  EXPECT_EQ(file.code, 126);
  EXPECT_EQ(file.err, "tenure: cannot run /etc/passwd: Permission denied\n");
  EXPECT_EQ(run({.command = {"/tmp"}}).code, 126);
  EXPECT_EQ(contents(redis), before);
}

TEST_F(ProcessTest, ACommandThatTheKernelRefusesLeavesNoKey) {
  const auto script = redis.directory() / "no-interpreter";
  std::ofstream(script) << "#!/no/such/interpreter\n";
  const auto garbage = redis.directory() / "garbage";
  std::ofstream(garbage) << "\x01\x02\x03";
  for (const auto& path : {script, garbage}) {
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  EXPECT_EQ(run({.command = {script}}).code, 127);
  const Result result = run({.command = {garbage}});
  EXPECT_EQ(result.code, 126);
  EXPECT_TRUE(has(result.err, "Exec format error")) << result.err;
  EXPECT_EQ(keys(redis), only_record);
}

TEST(Secrets, APasswordOnTheCommandLineIsNotSeenInProc) {
  ReadyRedis redis({.arguments = {"--requirepass", "gehe!m"}, .password = "gehe!m"}, ":gehe!m");
  const Words show = shell("tr '\\0' ' ' </proc/$PPID/cmdline");
  const Result apart = tenure(Job{.command = show}.words(redis.url(":gehe!m")));
  EXPECT_EQ(apart.code, 0) << apart.err;
  EXPECT_TRUE(has(apart.out, "run job --redis unix://")) << apart.out;
  EXPECT_FALSE(has(apart.out, "gehe!m")) << apart.out;
  const Result joined =
      tenure({"run", "job", "--redis=" + redis.url(":gehe!m"), "--", "sh", "-c", show.back()});
  EXPECT_EQ(joined.code, 0) << joined.err;
  EXPECT_FALSE(has(joined.out, "gehe!m")) << joined.out;
}

// T24: in a time namespace of its own the boot clock is far ahead of all others; the deadline must follow it.
TEST_F(ProcessTest, TheDeadlineIsOnTheBootClock) {
  Words words{"unshare", "--time", "--boottime", "100000", "--fork", "--", paths::program};
  for (auto& word : Job{.command = shell("echo $TENURE_DEADLINE; cat /proc/uptime")}.words(redis.url())) {
    words.push_back(std::move(word));
  }
  const Process process(words, {.environment = plain_environment()});
  if (process.exit_code() != 0 && process.out().empty())
    GTEST_SKIP() << "no time namespaces here: " << process.err();
  std::istringstream printed(process.out());
  double deadline = 0;
  double uptime = 0;
  printed >> deadline >> uptime;
  EXPECT_GT(uptime, 100'000);
  EXPECT_GT(deadline, uptime);
  EXPECT_LE(deadline, uptime + 30);
}

}  // namespace
}  // namespace tenure::test
