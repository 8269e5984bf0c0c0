// A second process, the command's parent, that ends the command and all its descendants when tenure itself
// cannot: because it was stopped past the deadline, killed, or held up (F5). This is tenure's hold on it; what it
// does is in guard.hpp. Should it be killed, tenure ends them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <utility>

#include "cli/supervise/command.hpp"
#include "cli/supervise/orders.hpp"
#include "cli/supervise/signals.hpp"
#include "process/process_tree.hpp"

namespace tenure::cli {

class Watchdog {
 public:
  // Make it before the first thread: it goes on in a forked copy of this process.
  // The listener of an endpoint, if there is one, is closed there: a watchdog that outlives us must not keep the port.
  Watchdog(Command& command, const Signals& signals, std::optional<int> listener = {});
  // Ends what runs.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void order(const Order& order) const;

  // Readable when there is a report, or it has ended.
  int fd() const { return leash_.fd(); }
  // Nothing: none is there now.
  std::optional<Report> next();
  // After the last report: there is nobody left, or the watchdog was killed.
  bool ended() const { return ended_; }
  // Then: the command's exit code; nothing if the watchdog was killed. Returns when there is nobody left.
  std::optional<int> finish(const process::ProcessTree::Events& events);

  // On SIGCHLD.
  void on_child();

 private:
  Watchdog(std::pair<Leash, Leash> ends, Command& command, const Signals& signals,
           std::optional<int> listener);

  // Before the fork, so that the watchdog is none of the strangers.
  process::ProcessTree tree_;
  Leash leash_;
  pid_t pid_ = -1;
  bool ended_ = false;
};

}  // namespace tenure::cli
