// Whatever the command has started, and wherever that went (other groups, other sessions, away from its parent):
// it is gone before another owns the name. Judged from outside, by the next owner, as the first thing it does.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <utility>

#include "cli/tenure_program.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class DescendantsTest : public testing::Test {
 protected:
  DescendantsTest() {
    for (const char* user : {"alice", "bob"}) {
      redis.command({"ACL", "SETUSER", user, "on", ">secret", "allkeys", "allcommands"});
    }
  }
  // Whatever a failed test has left. Only what carries this test's own mark.
  ~DescendantsTest() override {
    alice.reset();
    EXPECT_TRUE(wait_until([&] {
      bool any = false;
      for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string pid = entry.path().filename();
        if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
        if (!has(text_of(entry.path() / "environ"), mark())) continue;
        kill(static_cast<pid_t>(std::stol(pid)), SIGKILL);
        any = true;
      }
      return !any;
    }));
  }

  // In the environment of all that belong to alice's tenure.
  std::string mark() const { return "MARK=" + redis.directory().string(); }
  std::filesystem::path pids() const { return redis.directory() / "pids"; }

  Words words_of_alice(const std::string& command) const {
    return Job{.options = {"--ttl", "2s"}, .command = shell(command)}.words(redis.url("alice:secret"));
  }
  void start_alice(const std::string& command) {
    alice = start_tenure(words_of_alice(command), {mark()});
    ASSERT_TRUE(prints(*alice, "\n")) << alice->err();
  }

  // A shell script in which $NOTE notes the pid of who runs it.
  std::string with_note(const std::string& script) const {
    return "export NOTE='echo $$ >>" + pids().string() + "'; eval \"$NOTE\"; " + script;
  }
  // Starts relatives of every kind, prints the pid of the watchdog when all are there, and then does that.
  std::string with_family(const std::string& then) const {
    return with_note(
        // Does not listen to SIGTERM.
        "sh -c 'trap \"\" TERM; eval \"$NOTE\"; while :; do sleep 0.02; done' & "
        // In a session of its own.
        "setsid sh -c 'eval \"$NOTE\"; exec sleep 60' & "
        // In a group of its own, in our session.
        "perl -e 'setpgrp; exec @ARGV' sh -c 'eval \"$NOTE\"; exec sleep 60' & "
        // A daemon: its parent and its session are gone; and deaf, too.
        "(setsid sh -c '(trap \"\" TERM HUP; sh -c \"eval \\\"\\$NOTE\\\"; exec sleep 60\") & exit' &) ; "
        "until [ $(wc -l <" +
        pids().string() + ") = 5 ]; do sleep 0.01; done; echo $PPID; " + then);
  }

  // Waits for the name, and says who of alice's is still there when it is his: nobody, not even a zombie.
  std::unique_ptr<Process> start_bob() const {
    return start_tenure(
        Job{.options = {"--ttl", "2s"},
            .command = shell("for pid in $(cat " + pids().string() +
                             "); do [ ! -e /proc/$pid ] || echo alive: $(cat /proc/$pid/stat); done; "
                             "for e in $(grep -lszxF '" +
                             mark() +
                             "' /proc/[0-9]*/environ); do ! grep -qsz '^TENURE_TOKEN=' $e || "
                             "echo alive: $e; done; echo $TENURE_TOKEN")}
            .words(redis.url("bob:secret")));
  }
  // After alice's command was started.
  static void expect_nobody_left(const Process& bob) {
    EXPECT_EQ(bob.exit_code(std::chrono::seconds(30)), 0) << bob.err();
    EXPECT_FALSE(has(bob.out(), "alive")) << bob.out();
    EXPECT_TRUE(has(bob.out(), "\n"));
  }

  ReadyRedis redis;
  std::unique_ptr<Process> alice;
};

// T36, T38, B7
TEST_F(DescendantsTest, AreGoneWhenTheLeaseIsLost) {
  start_alice(with_family("sleep 60"));
  const auto bob = start_bob();
  redis.command({"ACL", "SETUSER", "alice", "-@all"});
  expect_nobody_left(*bob);
  EXPECT_EQ(alice->exit_code(), 79);
  EXPECT_FALSE(has(alice->err(), "did not act in time")) << "the watchdog had to do it: " << alice->err();
}

// F3, T36
TEST_F(DescendantsTest, AreGoneWhenRedisStandsStill) {
  start_alice(with_family("sleep 60"));
  redis.pause();
  EXPECT_EQ(alice->exit_code(), 79);
  redis.resume();
  expect_nobody_left(*start_bob());
}

// F5
TEST_F(DescendantsTest, AreGoneWhenTenureIsStopped) {
  start_alice(with_family("sleep 60"));
  const auto bob = start_bob();
  alice->send(SIGSTOP);
  expect_nobody_left(*bob);
  alice->send(SIGCONT);
  EXPECT_EQ(alice->exit_code(), 79);
  EXPECT_TRUE(has(alice->err(), "tenure did not act in time")) << alice->err();
}

// T38, B7
TEST_F(DescendantsTest, AreGoneWhenTenureIsKilled) {
  start_alice(with_family("sleep 60"));
  const auto bob = start_bob();
  alice->send(SIGKILL);
  expect_nobody_left(*bob);
}

TEST_F(DescendantsTest, AreGoneWhenTenureIsKilledAndTheWatchdogWasStopped) {
  start_alice(with_family("sleep 60"));
  const auto bob = start_bob();
  // Tenure first, or it would continue the watchdog; and the kernel does that only for one that has stopped.
  for (const long pid : {static_cast<long>(alice->pid()), number_printed(*alice)}) {
    kill(static_cast<pid_t>(pid), SIGSTOP);
    const std::string stat = "/proc/" + std::to_string(pid) + "/stat";
    ASSERT_TRUE(wait_until([&] { return has(text_of(stat), ") T "); }));
  }
  alice->send(SIGKILL);
  expect_nobody_left(*bob);
}

TEST_F(DescendantsTest, AreGoneWhenTheWatchdogIsKilledAndTheNameIsFree) {
  start_alice(with_family("sleep 60"));
  const auto bob = start_bob();
  kill(static_cast<pid_t>(number_printed(*alice)), SIGKILL);
  EXPECT_EQ(alice->exit_code(), 125);
  EXPECT_EQ(alice->err(), "tenure: job: the watchdog of tenure was killed; so the command was killed, too\n");
  expect_nobody_left(*bob);
}

// T37, T38
TEST_F(DescendantsTest, AreGoneWhenTheCommandEndsAndTheNameIsFree) {
  start_alice(with_family("sleep 0.1; exit 3"));
  const auto bob = start_bob();
  EXPECT_EQ(alice->exit_code(), 3);
  EXPECT_EQ(alice->err(), "");
  expect_nobody_left(*bob);
}

TEST_F(DescendantsTest, AreGoneWhenTheCommandIsKilledAndTheNameIsFree) {
  start_alice(with_family("kill -KILL $$"));
  EXPECT_EQ(alice->exit_code(), 128 + SIGKILL);
  EXPECT_EQ(keys(redis), only_record);
  expect_nobody_left(*start_bob());
}

// T37: only a signal that the command heeds ends it; what it leaves is ended without.
TEST_F(DescendantsTest, AreGoneWhenASignalEndsTheCommand) {
  start_alice(with_family("exec sleep 60"));
  alice->send(SIGTERM);
  EXPECT_EQ(alice->exit_code(), 128 + SIGTERM);
  EXPECT_EQ(keys(redis), only_record);
  expect_nobody_left(*start_bob());
}

// Sessions of their own, so that no group holds them; there are some dozens at any time.
TEST_F(DescendantsTest, CannotOutrunTheEndByForking) {
  const std::string forker = with_note(
      "for i in 1 2 3; do setsid sh -c 'for i in $(seq 2000); do setsid sh -c \"eval \\\"\\$NOTE\\\"; "
      "exec sleep 0.3\" & sleep 0.01; done' & done; sleep 0.3; echo ready; ");
  start_alice(forker + "exit 3");
  EXPECT_EQ(alice->exit_code(), 3);
  expect_nobody_left(*start_bob());

  start_alice(forker + "sleep 60");
  const auto bob = start_bob();
  alice->send(SIGKILL);
  expect_nobody_left(*bob);
}

// Each forks the next and ends; whoever looks for it finds a dead one. It gives up after some seconds.
TEST_F(DescendantsTest, CannotOutrunTheEndByHopping) {
  const auto hops = redis.directory() / "hops";
  const Job judge{.command = shell("a=$(wc -c <" + hops.string() + "); sleep 0.2; b=$(wc -c <" +
                                   hops.string() + "); [ $a = $b ] || echo alive; echo judged")};
  const std::string hopper =
      "perl -e 'open my $hops, \">>\", \"" + hops.string() +
      "\"; my $end = time + 10; while (time < $end) { syswrite $hops, \".\"; exit if fork; setpgrp; }' & "
      "sleep 0.2; echo ready; ";
  start_alice(hopper + "exit 3");
  EXPECT_EQ(alice->exit_code(), 3);
  EXPECT_EQ(tenure(judge.words(redis.url())).out, "judged\n");

  start_alice(hopper + "sleep 60");
  const auto bob = start_tenure(judge.words(redis.url()));
  redis.command({"ACL", "SETUSER", "alice", "-@all"});
  EXPECT_EQ(bob->exit_code(std::chrono::seconds(30)), 0) << bob->err();
  EXPECT_EQ(bob->out(), "judged\n");
  EXPECT_EQ(alice->exit_code(), 79);
  EXPECT_GT(std::filesystem::file_size(hops), 100U) << "it did not hop";
}

TEST_F(DescendantsTest, AreAllAskedToEndOnceBeforeTheyAreKilled) {
  const auto heard = redis.directory() / "heard";
  const std::string listener =
      "'trap \"echo $NAME >>" + heard.string() + "\" TERM; eval \"$NOTE\"; while :; do sleep 0.02; done' & ";
  alice = start_tenure(
      Job{.options = {"--ttl", "2s", "--grace", "800ms"},
          .command = shell(with_note("export NAME=near; sh -c " + listener +
                                     "export NAME=far; setsid sh -c " + listener + "until [ $(wc -l <" +
                                     pids().string() + ") = 3 ]; do sleep 0.01; done; trap '' TERM; " +
                                     "echo ready; while :; do sleep 0.02; done"))}
          .words(redis.url("alice:secret")),
      {mark()});
  ASSERT_TRUE(prints(*alice, "ready")) << alice->err();
  redis.command({"ACL", "SETUSER", "alice", "-@all"});
  EXPECT_EQ(alice->exit_code(), 79);
  const std::string names = text_of(heard);
  EXPECT_TRUE(names == "near\nfar\n" || names == "far\nnear\n") << names;
  expect_nobody_left(*start_bob());
}

// T38
TEST_F(DescendantsTest, InheritNoDescriptor) {
  const Result result = tenure(
      Job{.command = shell("setsid sh -c 'ls /proc/$$/fd; true'; ls /proc/$$/fd; true")}.words(redis.url()));
  EXPECT_EQ(result.out, "0\n1\n2\n0\n1\n2\n");
}

TEST_F(DescendantsTest, ADescriptorThatWasMeantForTheCommandGetsThere) {
  Words words = Job{.command = shell("read line <&5; echo $line")}.words(redis.url());
  words.insert(words.begin(), {"sh", "-c", "exec \"$@\" 5<<END\napples\nEND\n", "sh", paths::program});
  const Process process(words, {.environment = plain_environment()});
  EXPECT_EQ(process.exit_code(), 0);
  EXPECT_EQ(process.out(), "apples\n");
}

// What somebody started before tenure took over the process is none of the command's.
TEST_F(DescendantsTest, AreNotThoseThatTenureWasBornWith) {
  Words words = words_of_alice("echo $PPID; exec sleep 60");
  words.insert(words.begin(), {"sh", "-c", "sleep 60 & echo $! >" + pids().string() + "; exec \"$@\"", "sh",
                               paths::program});
  alice = std::make_unique<Process>(words, Process::Options{.environment = plain_environment({mark()})});
  kill(static_cast<pid_t>(number_printed(*alice)), SIGKILL);
  EXPECT_EQ(alice->exit_code(), 125);
  EXPECT_EQ(kill(static_cast<pid_t>(std::stol(text_of(pids()))), 0), 0);
}

// pkill -9 tenure kills tenure, and leaves somebody to end the rest.
TEST_F(DescendantsTest, TheWatchdogDoesNotGoByTheNameOfTenure) {
  const Result result = tenure(Job{.command = shell("cat /proc/$PPID/comm")}.words(redis.url()));
  EXPECT_EQ(result.code, 0);
  EXPECT_FALSE(has(result.out, "tenure")) << result.out;
}

// As sudo does: it becomes another user, and we may not kill it.
TEST_F(DescendantsTest, OneThatMayNotBeKilledIsNamedAndHoldsTheName) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a program set-uid";
  RedisServer open_to_all({.arguments = {"--unixsocketperm", "777"}});
  const auto& folder = open_to_all.directory();
  for (const auto& [from, to] : {std::pair{paths::program, "tenure"}, std::pair{"/usr/bin/perl", "perl"}}) {
    std::filesystem::copy_file(from, folder / to);
  }
  for (const char* path : {"", "tenure", "perl"}) chmod((folder / path).c_str(), *path == 'p' ? 04755 : 0755);
  ASSERT_EQ(tenure({"init", "--redis", open_to_all.url()}).code, 0);
  const Process process(
      Words{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", folder / "tenure"} +
          Job{.command = shell("setsid " + (folder / "perl").string() +
                               " -e '$< = $>; $| = 1; print \"$<\\n\"; sleep 1' & sleep 0.3; exit 3")}
              .words(open_to_all.url()),
      {.environment = plain_environment(), .directory = folder});
  EXPECT_EQ(process.exit_code(), 3) << process.err();
  if (process.out() != "0\n") GTEST_SKIP() << "no set-uid programs here: " << process.out();
  EXPECT_TRUE(has(process.err(), " cannot be killed: it runs as another user")) << process.err();
}

// A debugger outside the tree. What it traces and does not take away stays a zombie, which its parent does not get.
class Debugger {
 public:
  explicit Debugger(pid_t pid) : pid_(pid), error_(ptrace(PTRACE_SEIZE, pid, 0, 0) == 0 ? 0 : errno) {}
  ~Debugger() { let_go(); }
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;

  int error() const { return error_; }
  // Waits until it has ended.
  void let_go() {
    if (std::exchange(error_, ESRCH) == 0) waitpid(pid_, nullptr, __WALL);
  }

 private:
  pid_t pid_;
  int error_;
};

TEST_F(DescendantsTest, OneThatDoesNotDieIsNamedAndHoldsTheName) {
  const auto go = redis.directory() / "go";
  start_alice("sleep 60 & echo $!; until [ -e " + go.string() + " ]; do sleep 0.01; done; exit 3");
  const long pid = number_printed(*alice);
  Debugger debugger(static_cast<pid_t>(pid));
  if (debugger.error() != 0) GTEST_SKIP() << "no ptrace here, errno " << debugger.error();
  std::ofstream(go).put('\n');
  const std::string says =
      "tenure: job: process " + std::to_string(pid) + " does not end though it was killed";
  EXPECT_TRUE(wait_until([&] { return has(alice->err(), says); })) << alice->err();
  std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
  EXPECT_TRUE(alice->running());
  EXPECT_EQ(redis.command({"EXISTS", "redlock:job"}).integer, 1);
  debugger.let_go();
  EXPECT_EQ(alice->exit_code(), 3);
  EXPECT_EQ(std::ranges::count(alice->err(), '\n'), 1) << "told more than once: " << alice->err();
  EXPECT_EQ(keys(redis), only_record);
}

TEST_F(DescendantsTest, OneThatDoesNotDieIsNamedAlsoWithoutTheWatchdog) {
  start_alice("sleep 60 & echo $! $PPID; wait");
  std::istringstream printed(alice->out());
  pid_t pid = 0;
  pid_t watchdog = 0;
  ASSERT_TRUE(printed >> pid >> watchdog);
  Debugger debugger(pid);
  if (debugger.error() != 0) GTEST_SKIP() << "no ptrace here, errno " << debugger.error();
  kill(watchdog, SIGKILL);
  const std::string says =
      "tenure: job: process " + std::to_string(pid) + " does not end though it was killed";
  EXPECT_TRUE(wait_until([&] { return has(alice->err(), says); })) << alice->err();
  EXPECT_TRUE(alice->running());
  debugger.let_go();
  EXPECT_EQ(alice->exit_code(), 125);
}

TEST_F(DescendantsTest, AWatchdogThatIsStoppedGoesOn) {
  EXPECT_EQ(tenure(Job{.command = shell("kill -STOP $PPID; exit 4")}.words(redis.url())).code, 4);
}

TEST_F(DescendantsTest, AWatchdogThatWasKilledBeforeTheStartStartsNothing) {
  const auto holder = start_tenure(Job{.command = stay()}.words(redis.url()));
  number_printed(*holder);
  const auto waiter = start_tenure(Job{.command = shell("echo must not run")}.words(redis.url()));
  ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting"); }));
  const std::string pid = std::to_string(waiter->pid());
  const std::string children = text_of("/proc/" + pid + "/task/" + pid + "/children");
  if (children.empty()) GTEST_SKIP() << "this kernel does not list children";
  kill(static_cast<pid_t>(std::stol(children)), SIGKILL);
  holder->send(SIGTERM);
  EXPECT_EQ(waiter->exit_code(), 125);
  EXPECT_EQ(waiter->out(), "");
  EXPECT_EQ(keys(redis), only_record);
}

}  // namespace
}  // namespace tenure::test
