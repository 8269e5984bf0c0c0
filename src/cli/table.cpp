#include "cli/table.hpp"

#include <algorithm>
#include <numeric>

namespace tenure::cli {

namespace {

using Widths = std::vector<std::size_t>;

constexpr std::size_t gap = 2;

Widths natural_widths(const std::vector<Row>& rows) {
  Widths widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns(row[i].text));
  }
  return widths;
}

// Takes from the widest column that may give, one at a time, until all of them fit or none may give any more.
void narrow(Widths& widths, const Row& heading, std::size_t room) {
  std::size_t all = std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  while (all > room) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] <= columns(heading[i].text)) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    widths[widest] -= 1;
    all -= 1;
  }
}

}  // namespace

std::string aligned(const std::vector<Row>& rows, const Screen& screen) {
  if (rows.empty() || rows.front().empty()) return "";
  Widths widths = natural_widths(rows);
  narrow(widths, rows.front(), screen.columns);
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string shown = clipped(row[i].text, widths[i]);
      line += screen.paint(&row == &rows.front() ? Tone::heading : row[i].tone, shown);
      if (i + 1 < widths.size()) line += std::string(widths[i] - columns(shown) + gap, ' ');
    }
    text += clipped(line, screen.columns) + "\n";
  }
  return text;
}

}  // namespace tenure::cli
