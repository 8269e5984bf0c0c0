// The running command: a process that leads a group of its own, so that all of it can be signalled and
// ended at once. What it starts outside its group (setsid) is its own affair.
#pragma once

#include <sys/types.h>

#include <optional>
#include <tl/expected.hpp>

#include "cli/command.hpp"
#include "cli/signals.hpp"
#include "cli/watchdog.hpp"
#include "core/time.hpp"

namespace tenure::cli {

class Child {
 public:
  struct Conditions {
    const Signals& signals;
    const Watchdog& watchdog;
    core::Time start_by{};  // later it is not started
    core::Time kill_at{};   // what the watchdog knows from the first moment on
  };

  // The error is an errno of fork or exec; ETIME when it is too late.
  static tl::expected<Child, int> start(const Command& command, const Conditions& conditions);

  pid_t group() const { return pid_; }
  // To the whole group.
  void signal(int signal) const;

  // The signal that stopped the command since the last call.
  std::optional<int> stopped() const;
  bool ended() const;
  // After it has ended: ends the rest of its group too, and gives the exit code, or 128 + signal.
  int finish() const;

 private:
  explicit Child(pid_t pid) : pid_(pid) {}

  pid_t pid_;
};

// Orphans of the command become our children (see Child::start) and must not stay behind as zombies.
// Leaves the command itself alone.
void reap_orphans(const Child& child);

}  // namespace tenure::cli
