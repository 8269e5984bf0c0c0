// Watches over a command that runs under a lease, and ends it before the lease can pass to another.
// Does not rest on the thread that renews: it compares the deadline with the clock by itself.
#pragma once

#include <string>

#include "cli/child.hpp"
#include "cli/signals.hpp"
#include "cli/watchdog.hpp"
#include "core/timing.hpp"
#include "runtime/client.hpp"

namespace tenure::cli {

struct Supervised {
  std::string name;
  const runtime::Lease& lease;
  core::Timing timing{};
  const Child& child;
  const Watchdog& watchdog;
  Signals& signals;
};

struct Ending {
  int exit_code = 0;  // of the command
  bool lost = false;  // the lease was lost before the command had ended
};

// A little later than we do it ourselves.
core::Time watchdog_kills_at(core::Time deadline, const core::Timing& timing);

// Returns when the command and its whole group have ended.
Ending supervise(const Supervised& supervised);

}  // namespace tenure::cli
