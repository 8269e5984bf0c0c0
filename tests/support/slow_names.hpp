// A name server that hangs, for one name: whoever in this process looks up "hangs.invalid" waits. A program that uses this
// has a getaddrinfo of its own, also in the libraries that it links.
#pragma once

#include <chrono>

namespace tenure::test {

void let_names_hang(std::chrono::milliseconds how_long);

}  // namespace tenure::test
