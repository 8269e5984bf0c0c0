// Ctrl-Z under tenure run and tenure elect, in a shell with job control: as its user expects, and without two owners.
#include <gtest/gtest.h>

#include "cli/pseudo_terminal.hpp"

namespace tenure::test {
namespace {

// A line as it is typed. What a program prints must not stand in it as such: the terminal shows what is typed, too.
std::string typed(const Words& words) {
  std::string line;
  for (const auto& word : words) line += "'" + word + "' ";
  return line + "\n";
}

// Commands that start others are bash's: dash starts them by vfork(), and if the key comes just then, it never stops, with
// or without tenure. None of them waits for a trap: bash may hear of a signal only after what it waits for has ended.
//
// bash, which everybody has, and sh, which may be dash.
class JobControl : public testing::TestWithParam<Words> {
 protected:
  void run(const Job& job) { begin(job.words(redis.url())); }
  void begin(const Words& words) { shell.type(typed(Words{paths::program} + words)); }

  // The shell says that it has stopped, and does again what it is told.
  bool has_prompt() {
    if (!shell.shows("Stopped")) return false;
    shell.type("echo prompt-$((40+2))\n");
    return shell.shows("prompt-42");
  }

  ReadyRedis redis;
  Terminal shell{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Shells, JobControl,
                         testing::Values(Words{"bash", "--norc", "--noprofile", "-i"}, Words{"sh", "-i"}),
                         [](const auto& it) { return it.param.front(); });

TEST_P(JobControl, CtrlZGivesThePromptBackAndFgContinues) {
  run({.command = {"sh", "-c", "echo re''ady; read line; echo got-$line-$((1+1)); exit 6"}});
  ASSERT_TRUE(shell.shows("ready")) << shell.screen();
  shell.type(ctrl_z);
  EXPECT_TRUE(has_prompt()) << shell.screen();
  EXPECT_TRUE(has(shell.screen(), "job: stopped; unless it is continued (fg, bg) within ")) << shell.screen();
  shell.type("fg\n");
  shell.type("apples\n");
  EXPECT_TRUE(shell.shows("got-apples-2")) << shell.screen();
  shell.type("echo code-$?-\n");
  EXPECT_TRUE(shell.shows("code-6-")) << shell.screen();
  EXPECT_EQ(keys(redis), only_record);
}

TEST_P(JobControl, CtrlZMayBePressedAgain) {
  run({.command = {"sh", "-c", "echo re''ady; while read line; do echo got-$line-$((1+1)); done"}});
  ASSERT_TRUE(shell.shows("ready")) << shell.screen();
  for (int i = 0; i < 3; ++i) {
    shell.clear();
    shell.type(ctrl_z);
    ASSERT_TRUE(has_prompt()) << shell.screen();
    shell.type("fg\n");
    shell.type("apples\n");
    ASSERT_TRUE(shell.shows("got-apples-2")) << shell.screen();
  }
  shell.type(ctrl_c);
  // Until it has ended, the command reads what is typed.
  EXPECT_TRUE(wait_until([&] { return keys(redis) == only_record; }));
  shell.type("echo code-$?-\n");
  EXPECT_TRUE(shell.shows("code-130-")) << shell.screen();
}

TEST_P(JobControl, BgLetsTheCommandGoOnWithoutTheTerminal) {
  run({.options = {"--ttl", "2s"},
       .command = {"bash", "-c",
                   "echo re''ady; i=0; while [ $i -lt 40 ]; do sleep 0.1; i=$((i+1)); done; "
                   "echo fin''ished"}});
  ASSERT_TRUE(shell.shows("ready")) << shell.screen();
  shell.type(ctrl_z);
  EXPECT_TRUE(has_prompt()) << shell.screen();
  shell.type("bg\n");
  EXPECT_TRUE(shell.shows("finished")) << "two TTLs later, renewed: " << shell.screen();
  EXPECT_TRUE(wait_until([&] { return keys(redis) == only_record; }));
}

// F5: a stopped tenure cannot renew. Its watchdog is not stopped.
TEST_P(JobControl, WhoStaysStoppedLosesTheNameAndItsCommandIsDeadBeforeAnotherHasIt) {
  run({.options = {"--ttl", "2s"}, .command = {"sh", "-c", "echo pid-$$-; read line; echo nev''er"}});
  ASSERT_TRUE(shell.shows("-\r\n")) << shell.screen();
  const auto at = shell.screen().rfind("pid-") + 4;
  const pid_t command = std::stoi(shell.screen().substr(at));
  shell.type(ctrl_z);
  EXPECT_TRUE(has_prompt()) << shell.screen();
  EXPECT_EQ(kill(command, 0), 0) << "still there";
  // Waits until the lease has run out, and then sees whether the first command is alive.
  const Result next = tenure(Job{
      .command = {"sh", "-c", "if kill -0 \"$0\" 2>&-; then echo alive; else echo dead; fi",
                  std::to_string(
                      command)}}.words(redis.url()));
  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_EQ(next.out, "dead\n");
  shell.type("fg\n");
  EXPECT_TRUE(shell.shows("lost job: ")) << shell.screen();
  shell.type("echo code-$?-\n");
  EXPECT_TRUE(shell.shows("code-79-")) << shell.screen();
  EXPECT_FALSE(has(shell.screen(), "never")) << shell.screen();
}

TEST_P(JobControl, AScriptAroundTenureStopsWithIt) {
  shell.type(typed(Words{"sh", "-c", "\"$@\"; echo scr''ipt-$?-", "sh", paths::program} +
                   Job{.command = {"sh", "-c", "echo re''ady; read line; exit 6"}}.words(redis.url())));
  ASSERT_TRUE(shell.shows("ready")) << shell.screen();
  shell.type(ctrl_z);
  EXPECT_TRUE(has_prompt()) << shell.screen();
  shell.type("fg\n");
  shell.type("apples\n");
  EXPECT_TRUE(shell.shows("script-6-")) << shell.screen();
}

TEST_P(JobControl, APipelineStopsAsAWhole) {
  std::string line =
      typed(Words{paths::program} +
            Job{.command = {"bash", "-c", "echo re''ady; sleep 1; echo fin''ished"}}.words(redis.url()));
  line.back() = '|';
  shell.type(line + " cat\n");
  ASSERT_TRUE(shell.shows("ready")) << shell.screen();
  shell.type(ctrl_z);
  EXPECT_TRUE(has_prompt()) << shell.screen();
  shell.type("fg\n");
  EXPECT_TRUE(shell.shows("finished")) << shell.screen();
}

TEST_P(JobControl, WhoWaitsCanBeStoppedToo) {
  const auto holder = start_tenure(Job{.options = {"--id", "web-3"}, .command = stay()}.words(redis.url()));
  number_printed(*holder);
  run({.command = {"sh", "-c", "echo re''ady; exit 6"}});
  ASSERT_TRUE(shell.shows("held by web-3")) << shell.screen();
  shell.type(ctrl_z);
  EXPECT_TRUE(has_prompt()) << shell.screen();
  shell.type("fg\n");
  holder->send(SIGTERM);
  EXPECT_TRUE(shell.shows("ready")) << shell.screen();
}

TEST_P(JobControl, ALeaderThatWasStoppedForTooLongCampaignsAgain) {
  begin(Words{"elect", "myapp:leader", "--lease", "2s", "--redis", redis.url(), "--", "sh", "-c",
              "echo te''rm-$TENURE_TOKEN-; read line; echo got-$line-$((1+1))"});
  ASSERT_TRUE(shell.shows("term-")) << shell.screen();
  shell.type(ctrl_z);
  EXPECT_TRUE(has_prompt()) << shell.screen();
  ASSERT_TRUE(wait_until([&] { return redis.command({"EXISTS", "myapp:leader"}).integer == 0; }));
  shell.clear();
  shell.type("fg\n");
  EXPECT_TRUE(shell.shows("campaigning again")) << shell.screen();
  EXPECT_TRUE(shell.shows("term-")) << shell.screen();
  shell.type("apples\n");
  EXPECT_TRUE(shell.shows("got-apples-2")) << shell.screen();
}

}  // namespace
}  // namespace tenure::test
