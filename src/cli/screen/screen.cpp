#include "cli/screen/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tenure::cli {

namespace {

std::vector<std::string_view> lines_of(std::string_view page) {
  std::vector<std::string_view> lines;
  while (!page.empty()) {
    const auto end = std::min(page.find('\n'), page.size());
    lines.push_back(page.substr(0, end));
    page.remove_prefix(std::min(end + 1, page.size()));
  }
  return lines;
}

}  // namespace

Screen screen_of(int descriptor) {
  Screen screen{.paint = paint_for(descriptor)};
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return screen;
  if (size.ws_col > 0) screen.columns = size.ws_col;
  if (size.ws_row > 0) screen.rows = size.ws_row;
  return screen;
}

std::string fitted(const std::string& page, const Screen& screen) {
  const auto lines = lines_of(page);
  // The cursor stands below the last line.
  const std::size_t room = screen.rows == unlimited ? unlimited : std::max<std::size_t>(screen.rows, 2) - 1;
  const std::size_t shown = lines.size() <= room ? lines.size() : room - 1;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += clipped(lines[i], screen.columns) + "\n";
  if (shown == lines.size()) return text;
  const std::size_t more = lines.size() - shown;
  return text +
         clipped("… and " + std::to_string(more) + (more == 1 ? " more line" : " more lines"),
                 screen.columns) +
         "\n";
}

}  // namespace tenure::cli
