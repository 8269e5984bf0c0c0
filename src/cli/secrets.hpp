// Keeps passwords out of sight: those that came on the command line, where every user of the machine
// could read them in /proc/PID/cmdline, and those that would be repeated in a message.
#pragma once

#include "redis/url.hpp"

namespace tenure::cli {

// Overwrites what stands between "://" and "@" in our own arguments, up to "--". The memory is
// what /proc shows, so copies must be taken before.
void hide_secrets(int argc, char** argv);

// The same for a text that is to be shown.
using redis::without_secrets;

}  // namespace tenure::cli
