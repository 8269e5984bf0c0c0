#include "cli/screen/text_width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/base/names.hpp"

namespace tenure::cli {

namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// By Unicode's EastAsianWidth.txt (W and F), with the gaps between pictographs closed: a column too many leaves a space,
// one too few breaks the line. wcwidth() would know only what the locale says, and the C locale says nothing.
constexpr std::array wide{
    Range{0x1100, 0x115f},   Range{0x231a, 0x231b},   Range{0x2329, 0x232a},   Range{0x23e9, 0x23ec},
    Range{0x23f0, 0x23f0},   Range{0x23f3, 0x23f3},   Range{0x25fd, 0x25fe},   Range{0x2614, 0x2615},
    Range{0x2648, 0x2653},   Range{0x267f, 0x267f},   Range{0x2693, 0x2693},   Range{0x26a1, 0x26a1},
    Range{0x26aa, 0x26ab},   Range{0x26bd, 0x26be},   Range{0x26c4, 0x26c5},   Range{0x26ce, 0x26ce},
    Range{0x26d4, 0x26d4},   Range{0x26ea, 0x26ea},   Range{0x26f2, 0x26f5},   Range{0x26fa, 0x26fd},
    Range{0x2705, 0x2705},   Range{0x270a, 0x270b},   Range{0x2728, 0x2728},   Range{0x274c, 0x274e},
    Range{0x2753, 0x2757},   Range{0x2795, 0x2797},   Range{0x27b0, 0x27bf},   Range{0x2b1b, 0x2b1c},
    Range{0x2b50, 0x2b55},   Range{0x2e80, 0x303e},   Range{0x3041, 0x4dbf},   Range{0x4e00, 0xa4cf},
    Range{0xa960, 0xa97f},   Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe10, 0xfe19},
    Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x16fe0, 0x1b2ff},
    Range{0x1f004, 0x1f004}, Range{0x1f0cf, 0x1f0cf}, Range{0x1f18e, 0x1f19a}, Range{0x1f200, 0x1f64f},
    Range{0x1f680, 0x1f6ff}, Range{0x1f7e0, 0x1f7f0}, Range{0x1f900, 0x1f9ff}, Range{0x1fa70, 0x1faff},
    Range{0x20000, 0x3fffd}};

// Marks that stand on the character before them, of the scripts in which names are likely.
constexpr std::array standing_on_another{
    Range{0x300, 0x36f},   Range{0x483, 0x489},   Range{0x591, 0x5bd},    Range{0x610, 0x61a},
    Range{0x64b, 0x65f},   Range{0x6d6, 0x6dc},   Range{0x900, 0x902},    Range{0x93c, 0x93c},
    Range{0x941, 0x948},   Range{0x94d, 0x94d},   Range{0xe31, 0xe31},    Range{0xe34, 0xe3a},
    Range{0xe47, 0xe4e},   Range{0x1160, 0x11ff}, Range{0x1ab0, 0x1aff},  Range{0x1dc0, 0x1dff},
    Range{0x20d0, 0x20ff}, Range{0x302a, 0x302d}, Range{0x3099, 0x309a},  Range{0xfe00, 0xfe0f},
    Range{0xfe20, 0xfe2f}, Range{0x200b, 0x200f}, Range{0xe0100, 0xe01ef}};

bool is_in(std::span<const Range> ranges, std::uint32_t character) {
  return std::ranges::any_of(ranges,
                             [=](const Range& it) { return it.first <= character && character <= it.last; });
}

std::size_t columns_of(std::uint32_t character) {
  if (character < 0x300) return 1;
  if (is_in(standing_on_another, character)) return 0;
  return is_in(wide, character) ? 2 : 1;
}

// One character, or one escape sequence of a colour.
struct Piece {
  std::size_t length = 1;
  std::size_t columns = 1;
  bool is_color = false;
};

Piece first_piece(std::string_view text) {
  if (text.starts_with("\x1b[")) {
    const auto end = text.find('m');
    if (end != std::string_view::npos) return {end + 1, 0, true};
  }
  const std::size_t length = core::utf8_length(text);
  if (length == 0) return {};
  return {length, columns_of(core::code_point(text.substr(0, length))), false};
}

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    count += piece.columns;
    text.remove_prefix(piece.length);
  }
  return count;
}

std::string clipped(std::string_view text, std::size_t columns_max) {
  if (columns(text) <= columns_max) return std::string(text);
  if (columns_max == 0) return "";
  std::size_t room = columns_max - 1;  // for the mark
  std::string kept;
  bool colored = false;
  while (true) {
    const Piece piece = first_piece(text);
    if (piece.columns > room) break;
    room -= piece.columns;
    if (piece.is_color) colored = true;
    kept.append(text.substr(0, piece.length));
    text.remove_prefix(piece.length);
  }
  return kept + "…" + (colored ? "\x1b[0m" : "");
}

}  // namespace tenure::cli
