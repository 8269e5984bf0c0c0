// Figures as a person reads them.
#pragma once

#include <string>

#include "summary.hpp"

namespace tenure::bench {

// "23.4 µs", "0.94", "12 %".
std::string to_text(double value, Unit unit);
// "23.4 µs (22.9–24.0)": the middle, and between what the passes differ, in the same unit.
std::string to_text(const Span& span, Unit unit, bool range);
// "at least 0.90", "at most 2.00".
std::string shown_bound(const Goal& goal);
std::string to_text(Cores cores);
// How wide it is on a screen, for text with µ and –.
std::size_t width(const std::string& text);
std::string padded(std::string text, std::size_t to);

}  // namespace tenure::bench
