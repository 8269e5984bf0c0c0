// What the program says: messages for people on stderr, one line each, "tenure: …"; data on stdout.
#pragma once

#include <string_view>

namespace tenure::cli {

// In one write, so that the lines of several programs on one terminal stay whole. A text of several lines gets
// "tenure: " before each.
void say(std::string_view text);

// The exit code of a command whose output is complete: an own error when it could not be written.
int finish_output();

}  // namespace tenure::cli
