// A child process of a test: started, watched, signalled, and gone when the test is.
// It dies with the thread that started it; what it has started itself, only with own_group.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "support/wait.hpp"

namespace tenure::test {

class Process {
 public:
  struct Options {
    std::vector<std::string> environment{};  // "NAME=value", on top of the test's own; "NAME" removes it
    std::string input{};                     // what it reads from its standard input
    std::string directory{};                 // where it runs; empty: where the test does
    bool own_group = false;                  // what it has started ends with it
  };

  // Throws std::runtime_error when the program cannot be run. A name without a slash is looked up in PATH.
  explicit Process(std::vector<std::string> argv);
  Process(std::vector<std::string> argv, Options options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  void send_group(int signal) const;

  // The raw status (see WIFEXITED and so on) once it has ended; nothing when that takes too long. The
  // process stays a zombie until this object goes, so that its pid never comes to mean another.
  std::optional<int> wait(std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;
  bool running() const { return !wait(std::chrono::milliseconds(0)); }

  // Waits, then gives the exit code, or minus the signal that ended it. Throws when it does not end.
  int exit_code(std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;

  // What it has written so far.
  std::string out() const;
  std::string err() const;

 private:
  pid_t pid_ = -1;
  int pid_descriptor_ = -1;
  int out_ = -1;
  int err_ = -1;
  bool own_group_ = false;
};

}  // namespace tenure::test
