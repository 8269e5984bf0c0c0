// Messages for people, on stderr: one line each, "tenure: …". Data goes to stdout, not through here.
#pragma once

#include <string_view>

namespace tenure::cli {

// In one write, so that the lines of several programs on one terminal stay whole.
void say(std::string_view sentence);

}  // namespace tenure::cli
