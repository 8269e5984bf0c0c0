// How words stand out on a terminal: sparingly, and never in a pipe or a file unless --color always asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::cli {

// What a word means to the reader, not which colour it has.
enum class Tone : std::uint8_t { plain, good, warning, bad, heading };

class Paint {
 public:
  Paint() = default;  // without colours
  explicit Paint(bool on) : on_(on) {}

  // Text that is painted must have no control characters of its own.
  std::string operator()(Tone tone, std::string_view text) const;

 private:
  bool on_ = false;
};

enum class ColorChoice : std::uint8_t { automatic, always, never };

// "auto", "always", "never".
std::optional<ColorChoice> read_color_choice(std::string_view word);

// What --color says; before the first thread.
void choose_color(ColorChoice choice);

// For what is written to this descriptor. By default in colours where it is a terminal, TERM is not "dumb", and NO_COLOR is
// not set, or empty.
Paint paint_for(int descriptor);

}  // namespace tenure::cli
