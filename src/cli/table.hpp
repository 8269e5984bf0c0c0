// Rows of words in columns that stand below each other.
#pragma once

#include <string>
#include <vector>

namespace tenure::cli {

using Row = std::vector<std::string>;

// A line for each row; all have as many cells.
std::string aligned(const std::vector<Row>& rows);

}  // namespace tenure::cli
