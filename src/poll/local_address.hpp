// Which addresses mean this machine, or what hangs on the same cable: loopback, link-local (there the metadata of cloud machines
// are), and unspecified ones, which connect to loopback. Private networks (10.0.0.0/8, fc00::/7 and so on) are none of these.
#pragma once

#include <sys/socket.h>

#include <string>

namespace tenure::poll {

bool is_local(const sockaddr& address);
// As libcurl writes it, without a port. What is no address is not local.
bool is_local(const std::string& address);

// The same way.
std::string to_text(const sockaddr& address);

}  // namespace tenure::poll
