// Is the Host header of a request one that means this machine? A page of a stranger can let a browser send requests here by
// giving its own name our address (DNS rebinding), but the browser then says that name. Pure, apart from own_name().
#pragma once

#include <string>
#include <string_view>

#include "http/listen_address.hpp"

namespace tenure::http {

// localhost, any loopback address, the address that is listened on, and this machine's own name. Of a server that listens on all
// addresses any IP address will do: no name can be turned into one. The port does not matter.
bool is_own_host(std::string_view host, const ListenAddress& listens, std::string_view own_name);

// As the kernel has it; empty where it has none.
std::string own_name();

}  // namespace tenure::http
