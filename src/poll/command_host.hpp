// What goes on in the host of commands, a process between the poller and the watchdogs of its commands: it starts watchdogs,
// and ends what one has left that was killed. When the poller is gone it ends all of them.
#pragma once

#include <vector>

namespace tenure::poll {

struct HostedCommands {
  const char* text = nullptr;             // for /bin/sh -c
  const std::vector<char*>& environment;  // of all of them, without a null pointer at its end
};

// In a forked process without children, of which nothing is left but this: descriptors 0 to 2 are /dev/null, 3 is the leash,
// 4 is a pidfd of the poller's process. Returns when nobody is left. No thread but ours exists here, and a lock that another
// one had held would stay locked: so nothing below uses the usual heap.
int host_commands(const HostedCommands& commands) noexcept;

}  // namespace tenure::poll
