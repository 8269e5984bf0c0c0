#include "core/base/names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/text.hpp"

namespace tenure::core {

namespace {

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
constexpr std::array controls{
    Range{0x00, 0x1f},      Range{0x7f, 0x9f},      // C0, DEL and C1, which drive terminals
    Range{0xad, 0xad},      Range{0x034f, 0x034f},  // soft hyphen, grapheme joiner: seldom seen, or never
    Range{0x061c, 0x061c},  Range{0x180e, 0x180e},  // Arabic letter mark, Mongolian vowel separator
    Range{0x200b, 0x200f},                          // zero-width space and joiners, marks of direction
    Range{0x2028, 0x202e},                          // ends of lines and paragraphs, embedded directions
    Range{0x2060, 0x206f},                          // word joiner, invisible operators, isolated directions
    Range{0xfeff, 0xfeff},  Range{0xfff9, 0xfffb},  // byte order mark, annotations
    Range{0xe0000, 0xe007f}                         // tags
};

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

std::uint32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  // The first of n bytes has n bits set, then a zero.
  std::uint32_t point = sequence.size() == 1 ? first : first & (0x7fU >> sequence.size());
  for (const char c : sequence.substr(1)) point = (point << 6U) | (static_cast<unsigned char>(c) & 0x3fU);
  return point;
}

bool is_control(std::string_view sequence) {
  const std::uint32_t point = code_point(sequence);
  if (point >= 0x20 && point < 0x7f) return false;
  return std::ranges::any_of(controls,
                             [&](const Range& it) { return point >= it.first && point <= it.last; });
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  std::uint32_t least = 0;
  std::uint32_t point = 0;
  if ((first & 0xe0U) == 0xc0) {
    length = 2, least = 0x80, point = first & 0x1fU;
  } else if ((first & 0xf0U) == 0xe0) {
    length = 3, least = 0x800, point = first & 0x0fU;
  } else if ((first & 0xf8U) == 0xf0) {
    length = 4, least = 0x10000, point = first & 0x07U;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
    point = (point << 6U) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  return point < least || point > 0x10ffff || surrogate ? 0 : length;
}

std::optional<std::string> name_error(std::string_view what, std::string_view name) {
  const std::string subject(what);
  if (name.empty()) return subject + " is empty";
  if (name.size() > name_length_max) {
    return subject + " has " + std::to_string(name.size()) + " bytes; the most is " +
           std::to_string(name_length_max);
  }
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t length = utf8_length(name.substr(at));
    if (length == 0) {
      return subject + " \"" + printable(name) + "\" is not valid UTF-8 at byte " + std::to_string(at + 1);
    }
    if (is_control(name.substr(at, length))) {
      return subject + " \"" + printable(name) + "\" has a control character at byte " +
             std::to_string(at + 1);
    }
    at += length;
  }
  return std::nullopt;
}

}  // namespace tenure::core
