// Runs a command under a lease, and ends it and all its descendants before the lease can pass to another.
// Does not rest on the thread that renews: it compares the deadline with the clock by itself.
#pragma once

#include <optional>
#include <string>

#include "cli/endpoint/pulse.hpp"
#include "cli/notify.hpp"
#include "cli/supervise/signals.hpp"
#include "cli/supervise/watchdog.hpp"
#include "tenure/lease.hpp"

namespace tenure::cli {

struct Supervised {
  std::string name;
  const Lease& lease;
  Watchdog& watchdog;
  Signals& signals;
  const Notify& notify;
  Pulse* pulse = nullptr;  // of its loop, if somebody watches it
};

struct Ending {
  std::optional<int> exit_code;    // of the command; nothing: the watchdog was killed, and so was the command
  std::optional<int> start_error;  // it could not be started: errno, ETIME when it was too late
  bool lost = false;               // the lease was lost before they had all ended
  std::optional<int> asked_to_end;  // the last signal that asked for it
};

// Returns when the command and all that descends from it have ended.
Ending supervise(const Supervised& supervised);

// Says so, and gives the exit code, of a command without one.
int watchdog_killed(const std::string& name);

}  // namespace tenure::cli
