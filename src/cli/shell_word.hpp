// A text as one word of a command that a person pastes into a shell.
#pragma once

#include <string>
#include <string_view>

namespace tenure::cli {

// As it is, where no shell would change it; else in quotes. Never cut, and harmless to a terminal: control bytes and broken
// UTF-8 are written in a way that bash and zsh read, and not every sh.
std::string shell_word(std::string_view text);

}  // namespace tenure::cli
