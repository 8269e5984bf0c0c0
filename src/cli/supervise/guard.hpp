// What goes on in the watchdog process: it starts the command, ends it and all that came of it, and lives no
// longer than they do. It does what tenure says, and the worst when tenure says nothing: it kills when its time
// has come, or when tenure is gone. It knows no lease.
#pragma once

#include "cli/supervise/command.hpp"
#include "cli/supervise/orders.hpp"
#include "cli/supervise/signals.hpp"

namespace tenure::cli {

// Returns the command's exit code, or 128 + the signal that ended it, when there is nobody left. Must have no
// other children. Should it fail, it is killed by that (noexcept), which tenure takes for what it is.
int guard(Command& command, const Signals& signals, const Leash& tenure) noexcept;

}  // namespace tenure::cli
