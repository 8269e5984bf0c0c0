// What everybody who connects a socket of his own does, and how it is told that there was no connection.
#pragma once

#include <string>

namespace tenure::runtime {

// Whoever only listens would never learn that the other machine is gone: the kernel asks, after ten seconds of
// silence, and costs the server nothing.
void notice_dead_peer(int socket);

// Of an errno.
std::string connect_text(int error);

}  // namespace tenure::runtime
