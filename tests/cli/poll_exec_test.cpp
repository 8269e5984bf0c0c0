// Whatever a command of `tenure poll --exec` has started, and wherever that went: it is gone before another owns the session,
// whoever is killed or stopped. Judged from outside, by the next command, as the first thing it does.
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "support/directory.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class PollExecTest : public testing::Test {
 protected:
  // Whatever a failed test has left.
  ~PollExecTest() override {
    fleet.reset();
    for (const pid_t pid : family()) kill(pid, SIGKILL);
  }

  // The first command starts relatives of every kind, notes them, and then does that. All others say who is still there.
  void start_first(const std::string& then, const std::string& ttl) {
    const std::string note = "echo $$ >>" + path("pids");
    const std::string script =
        "mkdir " + path("first") + " 2>/dev/null || { for pid in $(cat " + path("pids") +
        "); do [ ! -e /proc/$pid ] || echo alive: $(cat /proc/$pid/stat); done >" + path("saw") + "; mv " +
        path("saw") + " " + path("verdict") + "; exit 0; }; export NOTE='" + note + "'; eval \"$NOTE\"; " +
        // Does not listen to SIGTERM.
        "sh -c 'trap \"\" TERM; eval \"$NOTE\"; while :; do sleep 0.02; done' & "
        // In a session of its own.
        "setsid sh -c 'eval \"$NOTE\"; exec sleep 100' & "
        // In a group of its own, in our session.
        "perl -e 'setpgrp; exec @ARGV' sh -c 'eval \"$NOTE\"; exec sleep 100' & "
        // A daemon: its parent and its session are gone; and deaf, too.
        "(setsid sh -c '(trap \"\" TERM HUP; sh -c \"eval \\\"\\$NOTE\\\"; exec sleep 100\") & exit' &) ; "
        "until [ $(wc -l <" +
        path("pids") + ") = 5 ]; do sleep 0.01; done; echo $PPID >" + path("parent") + "; mv " +
        path("parent") + " " + path("watchdog") + "; " + then;
    fleet = std::make_unique<PollFleet>(
        PollFleetOptions{.sessions = 1, .words = {"--ttl", ttl, "--timeout", "60s", "--exec", script}});
    fleet->start("web-1");
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(path("watchdog")); }, 20s)) << fleet->told();
  }

  std::string path(const std::string& name) const { return (directory.path() / name).string(); }
  std::vector<pid_t> family() const {
    std::ifstream file(path("pids"));
    std::vector<pid_t> pids;
    for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
    return pids;
  }
  bool anyone_lives() const {
    return std::ranges::any_of(family(), [](pid_t pid) { return kill(pid, 0) == 0; });
  }
  pid_t watchdog() const {
    pid_t pid = 0;
    std::ifstream(path("watchdog")) >> pid;
    return pid;
  }
  // Waits for the next command.
  std::string verdict() const {
    if (!wait_until([&] { return std::filesystem::exists(path("verdict")); }, 30s)) return "no other command";
    std::ostringstream text;
    text << std::ifstream(path("verdict")).rdbuf();
    return text.str();
  }

  const Directory directory{"poll_exec"};
  std::unique_ptr<PollFleet> fleet;
};

TEST_F(PollExecTest, AllThatACommandHasStartedDiesWithAPollerThatIsKilled) {
  start_first("sleep 100", "60s");
  (*fleet)["web-1"].send(SIGKILL);
  EXPECT_TRUE(wait_until([&] { return !anyone_lives(); })) << "long before the session is another's";
}

TEST_F(PollExecTest, AllThatACommandHasStartedIsGoneBeforeTheNextOwnerOfAStoppedPollerBegins) {
  start_first("sleep 100", "3s");
  fleet->start("web-2");
  (*fleet)["web-1"].send(SIGSTOP);
  EXPECT_EQ(verdict(), "") << fleet->told();
  (*fleet)["web-1"].send(SIGCONT);
}

TEST_F(PollExecTest, AllThatACommandHasStartedIsGoneWhenItsPollerHasLeft) {
  start_first("sleep 100", "5s");
  (*fleet)["web-1"].send(SIGTERM);
  EXPECT_EQ((*fleet)["web-1"].exit_code(), 0) << fleet->told();
  EXPECT_FALSE(anyone_lives());
}

TEST_F(PollExecTest, WhatACommandLeavesBehindIsGoneBeforeTheNextPoll) {
  start_first("exit 0", "3s");
  EXPECT_EQ(verdict(), "") << fleet->told();
}

TEST_F(PollExecTest, AWatchdogThatIsKilledTakesItsCommandAlongAndThePollerGoesOn) {
  start_first("sleep 100", "60s");
  ASSERT_NE(watchdog(), (*fleet)["web-1"].pid());
  kill(watchdog(), SIGKILL);
  EXPECT_EQ(verdict(), "") << fleet->told();
  EXPECT_TRUE(has((*fleet)["web-1"].out(), "the watchdog of the command was killed")) << fleet->told();
}

TEST_F(PollExecTest, TheHostOfTheWatchdogsTakesAllCommandsAlongAndThePollerGoesOn) {
  start_first("sleep 100", "60s");
  pid_t host = 0;
  std::string ignored;
  std::ifstream("/proc/" + std::to_string(watchdog()) + "/stat") >> ignored >> ignored >> ignored >> host;
  ASSERT_NE(host, 0);
  ASSERT_NE(host, (*fleet)["web-1"].pid());
  ASSERT_NE(host, getpid());
  kill(host, SIGKILL);
  EXPECT_EQ(verdict(), "") << fleet->told();
}

TEST_F(PollExecTest, AWatchdogThatIsStoppedGoesOn) {
  start_first("kill -STOP $PPID; exit 0", "60s");
  EXPECT_EQ(verdict(), "") << fleet->told();
}

TEST_F(PollExecTest, ACommandMayTakeLongerThanItsLeaseLasts) {
  fleet = std::make_unique<PollFleet>(PollFleetOptions{
      .sessions = 1, .words = {"--ttl", "2s", "--timeout", "60s", "--exec", "sleep 5; echo well"}});
  fleet->start("web-1");
  const auto result = [&] { return fleet->data().command({"HGET", "state:s-1", "result"}).text; };
  EXPECT_TRUE(wait_until([&] { return has(result(), "well"); }, 20s)) << fleet->told();
  EXPECT_TRUE(has(result(), R"("ok": true)")) << result();
}

}  // namespace
}  // namespace tenure::test
