// Host names that only this process knows, so that no test depends on what the machine calls itself or on its name server.
// A program that uses this has a getaddrinfo of its own, also in the libraries that it links.
#pragma once

#include <chrono>
#include <string>

namespace tenure::test {

// A name for 127.0.0.1. It has to be looked up, as any name.
std::string host_name_of_loopback();

// A name server that hangs, for one name: whoever looks up "hangs.invalid" waits so long, and is told nothing.
void let_names_hang(std::chrono::milliseconds how_long);

}  // namespace tenure::test
