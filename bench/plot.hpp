// A row as a picture (SVG): bars of ratios, or of latencies. On a white card of its own, so that it can be read on
// white and dark pages.
#pragma once

#include <string>

#include "summary.hpp"

namespace tenure::bench {

bool has_plot(const Row& row);
std::string plot(const Summary& row, const std::string& title);

}  // namespace tenure::bench
