#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "process/children.hpp"
#include "runtime/boot_clock.hpp"
#include "support/polls.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using poll::PollEnd;
using runtime::boot_now;

CommandPoll command(const std::string& text) {
  return {.command = text, .timeout = 2'000ms, .kill_after = 300ms, .body_max = 1'000};
}

PollEnd end_of(const std::string& text) {
  Polls polls{command(text)};
  return polls.end(polls.begin("s", "where it is"));
}

bool lives(pid_t pid) { return ::kill(pid, 0) == 0; }

// The number that a command writes into its own file.
class Numbers {
 public:
  Numbers() { std::filesystem::remove(path_); }
  ~Numbers() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  pid_t wait() const {
    pid_t number = 0;
    wait_until([&] {
      std::ifstream file(path_);
      std::string line;
      if (std::getline(file, line) && !file.eof()) number = std::stoi(line);
      return number != 0;
    });
    return number;
  }

 private:
  std::string path_ = ::testing::TempDir() + "command_poll_" + std::to_string(getpid());
};

TEST(CommandPolls, WhatACommandSaysIsTheResult) {
  const PollEnd end = end_of("echo hello; echo aside >&2");
  EXPECT_TRUE(end.outcome.ok);
  EXPECT_EQ(end.outcome.body, "hello\n");
  EXPECT_EQ(end.outcome.status, 0);
}

TEST(CommandPolls, ItsEnvironmentNamesTheLease) {
  EXPECT_EQ(end_of("echo \"$TENURE_SESSION|$TENURE_ADDRESS|$TENURE_TOKEN|$TENURE_INSTANCE\"").outcome.body,
            "s|where it is|1|here\n");
}

TEST(CommandPolls, AnExitCodeIsAFailure) {
  const PollEnd end = end_of("echo so; exit 3");
  EXPECT_FALSE(end.outcome.ok);
  EXPECT_EQ(end.outcome.status, 3);
  EXPECT_EQ(end.outcome.error, "the command ended with 3");
  EXPECT_EQ(end.outcome.body, "so\n");
  EXPECT_EQ(end_of("kill -9 $$").outcome.status, 137);
}

TEST(CommandPolls, NoDescriptorIsInherited) {
  const int leaky = open("/dev/null", O_RDONLY);  // as an application would that forgets O_CLOEXEC
  EXPECT_EQ(end_of("for fd in $(seq 0 63); do [ -e /proc/$$/fd/$fd ] && echo $fd; done; :").outcome.body,
            "0\n1\n2\n");
  close(leaky);
}

TEST(CommandPolls, OneThatTakesTooLongIsToldToEnd) {
  const PollEnd end = end_of("trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done");
  EXPECT_FALSE(end.outcome.ok);
  EXPECT_EQ(end.outcome.error, "the command took longer than 2s");
  EXPECT_EQ(end.outcome.body, "bye\n");
}

TEST(CommandPolls, OneThatDoesNotListenIsKilledWithAllOfItsGroup) {
  const Numbers numbers;
  Polls polls{
      command("trap '' TERM; sleep 60 & echo $! > " + numbers.path() + "; while :; do sleep 1; done")};
  const auto id = polls.begin("s", "");
  const pid_t grandchild = numbers.wait();
  ASSERT_NE(grandchild, 0);
  const auto began = boot_now();
  polls.abort(id, boot_now() + 10s);
  EXPECT_EQ(polls.end(id).how, PollEnd::How::aborted);
  EXPECT_GE(boot_now() - began, 250ms) << "it had its time to end well";
  EXPECT_LT(boot_now() - began, 1500ms);
  EXPECT_TRUE(wait_until([&] { return !lives(grandchild); }));
}

TEST(CommandPolls, AnAbortWithNoTimeLeftKillsAtOnce) {
  const Numbers numbers;
  Polls polls{
      CommandPoll{.command = "trap '' TERM; echo $$ > " + numbers.path() + "; while :; do sleep 1; done",
                  .kill_after = 60s}};
  const auto id = polls.begin("s", "");
  ASSERT_NE(numbers.wait(), 0);
  const auto began = boot_now();
  polls.abort(id, boot_now());
  EXPECT_EQ(polls.end(id).how, PollEnd::How::aborted);
  EXPECT_LT(boot_now() - began, 1s);
}

TEST(CommandPolls, WhatItLeavesBehindEndsWithIt) {
  const Numbers numbers;
  Polls polls{command("sleep 60 & echo $! > " + numbers.path())};
  const auto began = boot_now();
  EXPECT_TRUE(polls.end(polls.begin("s", "")).outcome.ok)
      << "though its output is still open in another process";
  EXPECT_LT(boot_now() - began, 1s);
  const pid_t left = numbers.wait();
  EXPECT_TRUE(wait_until([&] { return !lives(left); }));
}

TEST(CommandPolls, WhatItLeavesInASessionOfItsOwnIsGoneWhenItHasEnded) {
  const Numbers numbers;
  const std::string daemon = "setsid sh -c 'echo $$ > " + numbers.path() + "; exec sleep 60' & ";
  const std::string there = "until [ -s " + numbers.path() + " ]; do sleep 0.01; done; ";
  {
    Polls polls{command(daemon + there)};
    EXPECT_TRUE(polls.end(polls.begin("s", "")).outcome.ok);
    EXPECT_FALSE(lives(numbers.wait())) << "and not a moment later";
  }
  std::filesystem::remove(numbers.path());
  Polls polls{command(daemon + there + "sleep 60")};
  const auto id = polls.begin("s", "");
  const pid_t left = numbers.wait();
  polls.abort(id, boot_now() + 10s);
  EXPECT_EQ(polls.end(id).how, PollEnd::How::aborted);
  EXPECT_FALSE(lives(left));
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST(CommandPolls, HundredsAtOnceLeaveNoZombieAndNoDescriptor) {
  const Numbers go;
  CommandPoll waits{.command = "until [ -e " + go.path() + " ]; do sleep 1; done", .timeout = 60s};
  const auto before = open_descriptors();
  {
    Polls polls{waits};
    std::vector<poll::PollId> ids;
    for (int i = 0; i < 300; ++i) ids.push_back(polls.begin("s-" + std::to_string(i), ""));
    const auto hosts = [] { return process::Children().of(getpid()); };
    ASSERT_TRUE(wait_until([&] { return !hosts().empty(); }));
    ASSERT_EQ(hosts().size(), 1U);
    const pid_t host = hosts().front();
    EXPECT_TRUE(wait_until([&] { return process::Children().of(host).size() == ids.size(); }, 40s));
    std::ofstream(go.path()) << "go\n";
    for (const auto id : ids) {
      ASSERT_TRUE(wait_until([&] { return polls.ended(id).has_value(); }, 40s));
      EXPECT_TRUE(polls.outcome(id).ok) << polls.outcome(id).error;
    }
    EXPECT_TRUE(process::Children().of(host).empty());
  }
  EXPECT_TRUE(process::Children().of(getpid()).empty());
  EXPECT_EQ(open_descriptors(), before);
}

TEST(CommandPolls, AZeroByteMakesNoVariableOfItsOwn) {
  Polls polls{command("echo $MORE")};
  const PollEnd end = polls.end(polls.begin("s", std::string("there\0MORE=smuggled", 19)));
  EXPECT_FALSE(end.outcome.ok);
  EXPECT_EQ(end.outcome.body, "");
}

TEST(CommandPolls, OutputThatIsTooLongFails) {
  const PollEnd end = end_of("yes");
  EXPECT_EQ(end.outcome.error, "the output is longer than 1000 bytes");
  EXPECT_LE(end.outcome.body.size(), 1'000U);
  EXPECT_TRUE(end_of("head -c 1000 /dev/zero").outcome.ok);
}

TEST(CommandPolls, WhatIsNotOursIsNotBegun) {
  Polls polls{command("echo never")};
  EXPECT_EQ(polls.end(polls.begin("s", "", false)).how, PollEnd::How::not_begun);
}

TEST(CommandPolls, StoppingEndsWhatIsInFlight) {
  const Numbers numbers;
  Polls polls{command("echo $$ > " + numbers.path() + "; sleep 60")};
  const auto id = polls.begin("s", "");
  ASSERT_NE(numbers.wait(), 0);
  const auto began = boot_now();
  polls.stop();
  EXPECT_EQ(polls.end(id).how, PollEnd::How::aborted);
  EXPECT_LT(boot_now() - began, 2s);
}

}  // namespace
}  // namespace tenure::test
