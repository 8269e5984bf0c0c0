#include "cli/screen/paint.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace tenure::cli {

namespace {

ColorChoice chosen = ColorChoice::automatic;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? "" : value;
}

bool shows_colors(int descriptor) {
  switch (chosen) {
    case ColorChoice::always:
      return true;
    case ColorChoice::never:
      return false;
    case ColorChoice::automatic:
      break;
  }
  return isatty(descriptor) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

}  // namespace

std::string Paint::operator()(Tone tone, std::string_view text) const {
  static constexpr std::array<std::string_view, 5> codes{"", "32", "33", "31", "1"};  // as Tone counts
  if (!on_ || tone == Tone::plain || text.empty()) return std::string(text);
  std::string painted = "\x1b[";
  return painted.append(codes.at(static_cast<std::size_t>(tone))).append("m").append(text).append("\x1b[0m");
}

std::optional<ColorChoice> read_color_choice(std::string_view word) {
  if (word == "auto") return ColorChoice::automatic;
  if (word == "always") return ColorChoice::always;
  if (word == "never") return ColorChoice::never;
  return std::nullopt;
}

void choose_color(ColorChoice choice) { chosen = choice; }

Paint paint_for(int descriptor) { return Paint(shows_colors(descriptor)); }

}  // namespace tenure::cli
