// What a text is written to: how large it is if it is a terminal, and whether it shows colours.
#pragma once

#include <cstddef>
#include <string>

#include "cli/screen/paint.hpp"
#include "cli/screen/text_width.hpp"

namespace tenure::cli {

struct Screen {
  Paint paint{};
  std::size_t columns = unlimited;
  std::size_t rows = unlimited;
};

// As it is now: a window may change its size at any time (SIGWINCH). No terminal has any limits, and one that does not
// know its size has none either.
Screen screen_of(int descriptor);

// The page as it fits on the screen without scrolling, every line clipped. If there are more lines than rows, the last one
// says how many.
std::string fitted(const std::string& page, const Screen& screen);

}  // namespace tenure::cli
