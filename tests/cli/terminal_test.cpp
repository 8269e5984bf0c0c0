// tenure run on a terminal: the keys reach the command, and the terminal comes back.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

constexpr const char* ctrl_c = "\x03";
constexpr const char* ctrl_z = "\x1a";

// A program on a terminal of its own, and the hands at its keyboard.
class Terminal {
 public:
  explicit Terminal(Words words) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = forkpty(&keyboard_, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      execvp(argv[0], argv.data());
      _exit(127);
    }
  }
  ~Terminal() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(keyboard_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& keys) const {
    EXPECT_EQ(write(keyboard_, keys.data(), keys.size()), ssize(keys));
  }

  // Reads until this is on the screen, or everything is (the program has ended).
  bool shows(const std::string& text) {
    while (!has(screen_, text)) {
      std::array<char, 1024> block{};
      pollfd ready{keyboard_, POLLIN, 0};
      if (poll(&ready, 1, 10'000) <= 0) return false;
      const auto got = read(keyboard_, block.data(), block.size());
      if (got <= 0) return false;
      screen_.append(block.data(), static_cast<std::size_t>(got));
    }
    return true;
  }
  const std::string& screen() const { return screen_; }

 private:
  pid_t pid_ = -1;
  int keyboard_ = -1;
  std::string screen_;
};

// What the shell says after tenure shows that the terminal is its own again: otherwise it would stop.
Words then_read(const Words& words) {
  Words all{"sh", "-c", "\"$@\"; echo code $?; read line; echo typed $line", "sh", TENURE_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

TEST(OnATerminal, CtrlCReachesTheCommand) {
  ReadyRedis redis;
  // Not by way of a shell, which the same key would end.
  Words words =
      Job{.command = shell("trap 'echo interrupted; exit 5' INT; echo ready; while :; do sleep 0.05; done")}
          .words(redis.url());
  words.insert(words.begin(), TENURE_PROGRAM);
  Terminal terminal(words);
  ASSERT_TRUE(terminal.shows("ready")) << terminal.screen();
  terminal.type(ctrl_c);
  EXPECT_TRUE(terminal.shows("interrupted")) << terminal.screen();
  EXPECT_TRUE(wait_until([&] { return keys(redis) == only_record; }));
}

TEST(OnATerminal, CtrlZDoesNotStopAHolder) {
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
  Words words{"sh", "-c", "\"$@\" | cat", "sh", TENURE_PROGRAM};
  const Words job = Job{.command = shell("echo ready; read line; echo got $line")}.words(redis.url());
  words.insert(words.end(), job.begin(), job.end());
  Terminal terminal(words);
  ASSERT_TRUE(terminal.shows("ready")) << terminal.screen();
  terminal.type("apples\n");
  EXPECT_TRUE(terminal.shows("got apples")) << terminal.screen();
}

}  // namespace
}  // namespace tenure::test
