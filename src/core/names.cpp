#include "core/names.hpp"

#include <cstdint>

#include "core/text.hpp"

namespace tenure::core {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

// C0 and DEL are single bytes; C1 is written 0xc2 0x80 … 0xc2 0x9f and drives terminals as well.
bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  return sequence.size() == 2 && first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
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
