// What the program's exit codes mean. Any other is that of the command that was run, or 128 + the
// number of the signal that ended it.
#pragma once

#include <cstdint>

namespace tenure::cli {

enum class ExitCode : std::uint8_t {
  done = 0,
  not_taken = 1,     // lock: nobody has that name
  unknown = 1,       // sessions, explain: there is no such session
  degraded = 1,      // doctor: works, and somebody should look at it
  not_shown = 1,     // demo: it saw an overlap, or a session that was not taken over
  critical = 2,      // doctor: nobody gets a lease
  usage = 64,        // the command line is wrong; nothing was asked of Redis
  no_quorum = 69,    // too few nodes answered, or they refused
  unavailable = 69,  // --http: somebody else listens there
  exists = 73,       // init: there is a record already; sessions: that id says something else
  busy = 75,         // somebody else holds the name (--busy-code changes it)
  not_open = 76,     // the nodes give no new leases to us: quarantine, another cap
  lost = 79,         // the lease was lost while the command ran
  waited = 124,      // --wait is over
  own_error = 125,   // Tenure itself failed
  cannot_run = 126,  // the command is there but cannot be run
  not_found = 127,   // there is no such command
};

constexpr int number(ExitCode code) { return static_cast<int>(code); }
constexpr int number_of_signal(int signal) { return 128 + signal; }

}  // namespace tenure::cli
