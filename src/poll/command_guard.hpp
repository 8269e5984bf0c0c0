// What goes on in the watchdog of one command: it starts the command, ends it and all that came of it, and lives no longer
// than they do. It kills when its time has come, when the poller is gone, or when the host is.
#pragma once

#include <sys/types.h>

#include "core/base/time.hpp"

namespace tenure::poll {

struct GuardedCommand {
  const char* text = nullptr;
  char* const* environment = nullptr;
  core::Time kill_at{};
  pid_t host = 0;  // our parent
};

// In a forked process without children, of which nothing is left but this: descriptor 0 is /dev/null, 1 and 2 are for the
// command, 3 is the leash. Returns the exit code: 0 if nobody is left.
int guard_command(const GuardedCommand& command) noexcept;

}  // namespace tenure::poll
