// Rows of words in columns that stand below each other.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/screen/screen.hpp"

namespace tenure::cli {

// Without control characters and line ends: core::printable() sees to that.
struct Cell {
  Cell(std::string its_text, Tone its_tone = Tone::plain) : text(std::move(its_text)), tone(its_tone) {}
  Cell(const char* its_text) : text(its_text) {}

  std::string text;
  Tone tone = Tone::plain;
};

using Row = std::vector<Cell>;

// A line for each row; all have as many cells, and the first is the heading. Where the screen is too narrow, the widest
// columns are clipped first, and none to less than its heading as long as that is enough.
std::string aligned(const std::vector<Row>& rows, const Screen& screen = {});

}  // namespace tenure::cli
