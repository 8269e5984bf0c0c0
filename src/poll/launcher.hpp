// Starts commands so that nothing of them outlives what it must not, whoever of us is killed:
//
//   poller ── host ── watchdog ── command ── whatever it starts
//                └─── watchdog ── …            └─ orphans of these come to the watchdog
//
// The poller dies: the host and the watchdogs kill everything at once. It only stands still: each watchdog kills at the time
// that it was told last. A watchdog dies: what it guarded falls to the host, which kills it. The host dies: the watchdogs kill.
// Two of them killed at one instant, host and watchdog, leave what the command has started.
//
// The host is forked when the first command is started, from a process with many threads, and never runs another program: a
// library has none. It is a copy of the process at that time, also in its rights and its working directory.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/time.hpp"
#include "poll/shell.hpp"
#include "process/leash.hpp"

namespace tenure::poll {

class Launcher {
 public:
  // The environment is all that commands get beside their own variables, "NAME=value" each.
  Launcher(std::string command, std::vector<std::string> environment);
  // All commands must have ended.
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Readable or not, it is worth waiting for while is_busy(): writable when it is not any more.
  int fd() const { return leash_.fd(); }
  // The host has more to do than it can be told.
  bool is_busy() const;
  // Unless told otherwise by then, the command is killed at kill_at. The error is an errno.
  tl::expected<Shell, int> start(const std::vector<std::string>& variables, core::Time kill_at);
  // A host that somebody has stopped goes on. To be called now and then.
  void tend() const;

 private:
  tl::expected<Shell, int> try_start(const std::vector<std::string>& variables, core::Time kill_at);
  // 0, or an errno.
  int start_host();
  void end_host();

  std::string command_;
  std::vector<std::string> environment_;
  std::vector<char*> pointers_;  // to these
  process::Leash leash_;
  pid_t host_ = 0;  // 0: none
};

}  // namespace tenure::poll
