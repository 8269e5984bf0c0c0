// The running command: a child of the watchdog that leads a group of its own, so that it can have the terminal,
// and signals reach all that stayed in its group.
#pragma once

#include <sys/types.h>

#include <optional>
#include <tl/expected.hpp>

#include "cli/supervise/command.hpp"
#include "cli/supervise/orders.hpp"
#include "cli/supervise/signals.hpp"

namespace tenure::cli {

class Child {
 public:
  struct Conditions {
    const Signals& signals;
    const Leash& tenure;    // is told when it cannot be run
    core::Time start_by{};  // later it is not started
    bool lend_terminal = false;
  };

  // Does not wait for exec, which can take its time. The error is an errno of fork.
  static tl::expected<Child, int> start(const Command& command, const Conditions& conditions);

  pid_t pid() const { return pid_; }  // also the number of its group
  // To the whole group. Not after it was reaped: the number may mean another group then.
  void signal(int signal) const;

  // The signal that stopped the command since the last call.
  std::optional<int> stopped() const;
  // It has not been reaped yet.
  bool ended() const;

 private:
  explicit Child(pid_t pid) : pid_(pid) {}

  pid_t pid_;
};

}  // namespace tenure::cli
