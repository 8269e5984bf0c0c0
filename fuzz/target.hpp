// What is fuzzed: each target defines this function, which must return for whatever bytes it is given.
// A broken promise aborts (core::must); the sanitizers watch over the rest.
#pragma once

#include <string_view>

namespace tenure::fuzz {

void try_input(std::string_view input);

}  // namespace tenure::fuzz
