// Keeps passwords out of sight: those that came on the command line, where every user of the machine
// could read them in /proc/PID/cmdline, and those that would be repeated in a message.
#pragma once

#include <string>
#include <string_view>

namespace tenure::cli {

// Overwrites what stands between "://" and "@" in our own arguments, and passwords behind that ("?password="), up to "--". The
// memory is what /proc shows, so copies must be taken before.
void hide_secrets(int argc, char** argv);

// The same for a text that is to be shown.
std::string without_secrets(std::string_view text);

}  // namespace tenure::cli
