// What is shown on a terminal: in colours where these are wanted, as wide and high as it is, and a countdown while it waits.
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "cli/pseudo_terminal.hpp"
#include "cli/ready_postgres.hpp"

namespace tenure::test {
namespace {

constexpr const char* escape = "\x1b[";

// What the program writes to a terminal of that size, with these variables.
std::string shown(const Words& words, const Words& environment = {}, Terminal::Size size = {}) {
  Terminal terminal(
      Words{"env", "-u", "NO_COLOR", "TERM=xterm"} + environment + Words{paths::program} + words, size);
  terminal.exit_code();
  return terminal.screen();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

// Of text that has no characters but narrow ones.
std::size_t columns_of(const std::string& line) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.compare(i, 2, escape) == 0) {
      while (line[i] < '@' || line[i] == '[') ++i;
    } else if ((static_cast<unsigned char>(line[i]) & 0xc0U) != 0x80U) {
      ++count;
    }
  }
  return count;
}

TEST(Colors, StatesStandOutOnATerminal) {
  ReadyRedis redis;
  const Words up{"doctor", "--redis", redis.url()};
  EXPECT_TRUE(has(shown(up), "\x1b[32mUP\x1b[0m")) << shown(up);
  const std::string down = shown({"doctor", "--redis", "redis://127.0.0.1:1"});
  EXPECT_TRUE(has(down, "\x1b[31mDOWN\x1b[0m")) << down;
  redis.command({"SET", "redlock:job", "something else", "PX", "60000"});
  const std::string locks = shown({"lock", "ls", "--redis", redis.url()});
  EXPECT_TRUE(has(locks, "\x1b[1mNAME\x1b[0m")) << locks;
  EXPECT_TRUE(has(locks, "\x1b[31mforeign\x1b[0m")) << locks;
}

TEST(Colors, AreOffWhereTheyAreNotWanted) {
  ReadyRedis redis;
  const Words up{"doctor", "--redis", redis.url()};
  EXPECT_FALSE(has(shown(up, {"NO_COLOR=1"}), escape));
  EXPECT_FALSE(has(shown(up, {"TERM=dumb"}), escape));
  EXPECT_FALSE(has(shown(up + Words{"--color", "never"}), escape));
  EXPECT_FALSE(has(shown(Words{"--color=never"} + up), escape));
  EXPECT_TRUE(has(shown(up, {"NO_COLOR="}), escape)) << "empty is as if it were not set";
  EXPECT_TRUE(has(shown(up + Words{"--color", "always"}, {"NO_COLOR=1"}), escape)) << "who says so means it";
}

TEST(Colors, AreNeverInAPipeUnlessAskedForAndNeverInJson) {
  ReadyRedis redis;
  const Words up{"doctor", "--redis", redis.url()};
  EXPECT_FALSE(has(tenure(up).out, escape));
  EXPECT_TRUE(has(tenure(up + Words{"--color", "always"}).out, escape));
  EXPECT_FALSE(has(tenure(up + Words{"--color", "always", "--json"}).out, escape));
  EXPECT_FALSE(has(shown(up + Words{"--json"}), escape));
  const Words status{"status", "--color", "always", "--redis", redis.url()};
  EXPECT_TRUE(has(tenure(status).out, escape)) << "also in the program of fleets";
  EXPECT_FALSE(has(tenure(status + Words{"--json"}).out, escape));
}

TEST(Colors, AWrongChoiceIsRefused) {
  const Result wrong = tenure({"doctor", "--color", "blue"});
  EXPECT_EQ(wrong.code, 64);
  EXPECT_EQ(wrong.err, "tenure: --color: \"blue\" is not auto, always or never\n");
  EXPECT_EQ(tenure({"doctor", "--color"}).code, 64);
  ReadyRedis redis;
  const Result behind = tenure(Job{.command = {"echo", "--color", "blue"}}.words(redis.url()));
  EXPECT_EQ(behind.out, "--color blue\n") << "what is behind -- is the command's";
}

TEST(Screen, TablesFitInto60Columns) {
  ReadyRedis redis;
  const std::string name(70, 'n');
  for (const auto& key : {name + "2", name + "10"}) {
    redis.command({"SET", "redlock:" + key, std::string(50, 'o'), "PX", "60000"});
  }
  redis.command({"SET", "session:" + std::string(40, 's'),
                 R"({"address":"http://127.0.0.1:1/)" + std::string(60, 'a') + "\"}"});
  for (const Words& words : {Words{"lock", "ls"}, Words{"sessions", "ls"}, Words{"status"}}) {
    const std::string screen = shown(words + Words{"--redis", redis.url()}, {}, {.columns = 60, .rows = 24});
    EXPECT_TRUE(has(screen, "…")) << screen;
    for (const auto& line : lines_of(screen)) EXPECT_LE(columns_of(line), 60U) << line;
  }
  EXPECT_TRUE(has(tenure({"lock", "ls", "--redis", redis.url()}).out, std::string(50, 'o')))
      << "not in a pipe";
}

TEST(Screen, AWatchFitsIntoItsWindowAndFollowsItsSize) {
  ReadyRedis redis;
  for (int i = 1; i <= 40; ++i) {
    redis.command({"SET", "session:s-" + std::to_string(i), R"({"address":"http://127.0.0.1:1/"})"});
  }
  Terminal terminal(Words{paths::program, "status", "--watch", "--color", "never", "--redis", redis.url()},
                    {.columns = 60, .rows = 12});
  ASSERT_TRUE(terminal.shows(" more lines")) << terminal.screen();
  const std::string screen = terminal.screen();
  const std::string page = screen.substr(screen.rfind("\x1b[J") + 3);
  EXPECT_LT(lines_of(page).size(), 12U) << page;
  EXPECT_LT(page.find("s-2 "), page.find("s-3 ")) << page;
  EXPECT_FALSE(has(page, "s-10 ")) << "it comes behind s-9: " << page;
  for (const auto& line : lines_of(page)) EXPECT_LE(columns_of(line), 60U) << line;
  terminal.resize({.columns = 60, .rows = 30});
  EXPECT_TRUE(terminal.shows("s-10 ")) << terminal.screen();
  terminal.type(ctrl_c);
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST(Screen, ADemonstrationFitsInto60Columns) {
  Terminal terminal({"env", "TERM=xterm", paths::program, "demo", "--color", "never"},
                    {.columns = 60, .rows = 14});
  ASSERT_TRUE(terminal.shows(" more lines")) << terminal.screen();
  terminal.type(ctrl_c);
  terminal.exit_code();
  const std::string& screen = terminal.screen();
  const auto from = screen.find("\x1b[H");
  const auto end = screen.rfind("\x1b[?25h");
  ASSERT_NE(from, std::string::npos);
  for (const auto& line : lines_of(screen.substr(from, end - from))) EXPECT_LE(columns_of(line), 60U) << line;
}

TEST(Countdown, SaysWhoHoldsTheNameAndIsErasedAtTheEnd) {
  ReadyRedis redis;
  const auto holder = start_tenure(Job{.options = {"--id", "web-3"}, .command = stay()}.words(redis.url()));
  number_printed(*holder);
  Terminal terminal(
      Words{"env", "TERM=xterm", paths::program} + Job{.command = {"echo", "ready"}}.words(redis.url()),
      {.columns = 120, .rows = 24});
  ASSERT_TRUE(terminal.shows("\rtenure: waiting for job: held by web-3 for another ")) << terminal.screen();
  const auto second = start_tenure(Job{}.words(redis.url()));
  EXPECT_TRUE(terminal.shows("1 other waits")) << terminal.screen();
  holder->send(SIGTERM);
  ASSERT_TRUE(terminal.shows("ready")) << terminal.screen();
  EXPECT_EQ(terminal.exit_code(), 0);
  const std::string& screen = terminal.screen();
  EXPECT_TRUE(has(screen.substr(screen.rfind("waiting for")), "\r\x1b[K")) << screen;
  EXPECT_FALSE(has(screen.substr(0, screen.rfind("waiting for")), "\n")) << "one line: " << screen;
  EXPECT_EQ(second->exit_code(), 0);
}

TEST(Countdown, SaysWhoHoldsTheNameInAPostgreSQL) {
  const ReadyPostgres postgres;
  const auto holder = start_tenure(run_words(postgres.url(), {"--id", "web-3"}, stay()));
  number_printed(*holder);
  Terminal terminal(
      Words{"env", "TERM=xterm", paths::program} + run_words(postgres.url(), {}, {"echo", "ready"}),
      {.columns = 120, .rows = 24});
  ASSERT_TRUE(terminal.shows("\rtenure: waiting for job: held by web-3 for another ")) << terminal.screen();
  holder->send(SIGTERM);
  ASSERT_TRUE(terminal.shows("ready")) << terminal.screen();
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST(Countdown, SaysHowLongAQuarantineLasts) {
  RedisServer redis;
  Terminal terminal(
      Words{"env", "TERM=xterm", paths::program} +
      Job{.options = {"--ttl-max", "3s", "--ttl", "1s"}, .command = {"echo", "ready"}}.words(redis.url()));
  EXPECT_TRUE(terminal.shows("\rtenure: waiting for job: no grants for another ")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("(quarantine)")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("ready")) << terminal.screen();
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST(Countdown, IsNotShownElsewhere) {
  ReadyRedis redis;
  const auto holder = start_tenure(Job{.options = {"--id", "web-3"}, .command = stay()}.words(redis.url()));
  number_printed(*holder);
  const Result waited = tenure(Job{.options = {"--wait", "2500ms"}}.words(redis.url()));
  EXPECT_EQ(waited.code, 124);
  EXPECT_EQ(lines_of(waited.err).size(), 2U) << waited.err;
  EXPECT_FALSE(has(waited.err, "\r")) << waited.err;
  Terminal quiet(Words{"env", "TERM=xterm", paths::program} +
                 Job{.options = {"-q", "--wait", "1500ms"}}.words(redis.url()));
  EXPECT_EQ(quiet.exit_code(), 124);
  EXPECT_EQ(quiet.screen(), "");
}

}  // namespace
}  // namespace tenure::test
