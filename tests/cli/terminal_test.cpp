// tenure run on a terminal: the keys reach the command, and the terminal comes back.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "cli/pseudo_terminal.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

// What the shell says after tenure shows that the terminal is its own again: otherwise it would stop.
Words then_read(const Words& words) {
  Words all{"sh", "-c", "\"$@\"; echo code $?; read line; echo typed $line", "sh", paths::program};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

TEST(OnATerminal, CtrlCReachesTheCommand) {
  ReadyRedis redis;
  // Not by way of a shell, which the same key would end.
  Words words =
      Job{.command = shell("trap 'echo interrupted; exit 5' INT; echo ready; while :; do sleep 0.05; done")}
          .words(redis.url());
  words.insert(words.begin(), paths::program);
  Terminal terminal(words);
  ASSERT_TRUE(terminal.shows("ready")) << terminal.screen();
  terminal.type(ctrl_c);
  EXPECT_TRUE(terminal.shows("interrupted")) << terminal.screen();
  EXPECT_TRUE(wait_until([&] { return keys(redis) == only_record; }));
}

// sh -c has no job control: whoever stopped there could never be continued.
TEST(OnATerminal, CtrlZStopsNobodyWhereNoShellCouldContinueIt) {
  ReadyRedis redis;
  Terminal terminal(
      then_read(Job{.command = shell("echo ready; read line; echo got $line; exit 6")}.words(redis.url())));
  ASSERT_TRUE(terminal.shows("ready")) << terminal.screen();
  terminal.type(ctrl_z);
  terminal.type("\n");
  EXPECT_TRUE(terminal.shows("code 6")) << terminal.screen();
}

TEST(OnATerminal, TheCommandReadsFromItAndItComesBack) {
  ReadyRedis redis;
  Terminal terminal(
      then_read(Job{.command = shell("echo ready; read line; echo got $line")}.words(redis.url())));
  ASSERT_TRUE(terminal.shows("ready")) << terminal.screen();
  terminal.type("apples\n");
  EXPECT_TRUE(terminal.shows("got apples")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("code 0")) << terminal.screen();
  terminal.type("pears\n");
  EXPECT_TRUE(terminal.shows("typed pears")) << terminal.screen();
}

TEST(OnATerminal, ACommandInAPipelineGetsItWhenItAsks) {
  ReadyRedis redis;
  Words words{"sh", "-c", "\"$@\" | cat", "sh", paths::program};
  const Words job = Job{.command = shell("echo ready; read line; echo got $line")}.words(redis.url());
  words.insert(words.end(), job.begin(), job.end());
  Terminal terminal(words);
  ASSERT_TRUE(terminal.shows("ready")) << terminal.screen();
  terminal.type("apples\n");
  EXPECT_TRUE(terminal.shows("got apples")) << terminal.screen();
}

}  // namespace
}  // namespace tenure::test
