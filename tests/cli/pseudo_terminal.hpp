// A terminal for a program under test.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "cli/tenure_program.hpp"

namespace tenure::test {

inline constexpr const char* ctrl_c = "\x03";
inline constexpr const char* ctrl_z = "\x1a";

// A program on a terminal of its own, and the hands at its keyboard.
class Terminal {
 public:
  struct Size {
    unsigned short columns = 0;  // of a terminal that does not know
    unsigned short rows = 0;
  };
  explicit Terminal(Words words) : Terminal(std::move(words), Size{}) {}
  Terminal(Words words, Size size) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const winsize window{size.rows, size.columns, 0, 0};
    pid_ = forkpty(&keyboard_, nullptr, nullptr, &window);
    if (pid_ == 0) {
      // Whoever runs tests in the background has them ignore the keys that end a program.
      for (const int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_DFL);
      execvp(argv[0], argv.data());
      _exit(127);
    }
  }
  ~Terminal() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
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
  // What follows is looked for in what comes from now on.
  void clear() { screen_.clear(); }

  void resize(Size size) const {
    const winsize window{size.rows, size.columns, 0, 0};
    EXPECT_EQ(ioctl(keyboard_, TIOCSWINSZ, &window), 0);
  }

  // Reads what is left until the program has ended.
  int exit_code() {
    shows("what is on no screen");
    int state = 0;
    waitpid(pid_, &state, 0);
    pid_ = -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
  }

 private:
  pid_t pid_ = -1;
  int keyboard_ = -1;
  std::string screen_;
};

}  // namespace tenure::test
