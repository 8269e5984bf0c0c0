// The person at the terminal: is there one, who is it, and does that person agree?
#pragma once

#include <string>

namespace tenure::cli {

bool can_ask();

// Anything but y or yes is a no.
bool says_yes(const std::string& question);

// "alice@host".
std::string person();

}  // namespace tenure::cli
