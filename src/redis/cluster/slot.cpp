#include "redis/cluster/slot.hpp"

#include <array>
#include <vector>

#include "core/base/check.hpp"

namespace tenure::redis {

namespace {

constexpr std::uint16_t polynomial = 0x1021;  // CRC-16/XMODEM: x^16 + x^12 + x^5 + 1, from 0, not reflected

constexpr std::array<std::uint16_t, 256> remainders = [] {
  std::array<std::uint16_t, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    auto rest = static_cast<std::uint16_t>(byte << 8);
    for (int bit = 0; bit < 8; ++bit) {
      const bool carry = (rest & 0x8000) != 0;
      rest = static_cast<std::uint16_t>(rest << 1);
      if (carry) rest ^= polynomial;
    }
    table.at(byte) = rest;
  }
  return table;
}();

constexpr std::uint16_t crc16(std::string_view text) {
  std::uint16_t rest = 0;
  for (const char c : text) {
    const auto index = static_cast<std::uint8_t>((rest >> 8) ^ static_cast<unsigned char>(c));
    rest = static_cast<std::uint16_t>((rest << 8) ^ remainders[index]);
  }
  return rest;
}

static_assert(crc16("123456789") == 0x31C3);

// What of a key is hashed.
std::string_view hashed(std::string_view key) {
  const auto open = key.find('{');
  if (open == std::string_view::npos) return key;
  const auto close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

// The next text after this one: those of fewer letters come first, and among those of the same length digits and letters
// count as in a number of base 36.
void advance(std::string& text) {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] != letters.back()) {
      text[at] = letters[letters.find(text[at]) + 1];
      return;
    }
    text[at] = letters.front();
  }
  text.insert(text.begin(), letters.front());
}

// The first text of each slot.
std::vector<std::string> all_tags() {
  std::vector<std::string> tags(slots);
  std::string text = "0";
  for (std::size_t missing = slots; missing > 0; advance(text)) {
    std::string& tag = tags[slot_of(text)];
    if (!tag.empty()) continue;
    tag = text;
    --missing;
  }
  return tags;
}

}  // namespace

Slot slot_of(std::string_view key) { return crc16(hashed(key)) % slots; }

const std::string& tag_of(Slot slot) {
  static const std::vector<std::string> tags = all_tags();
  core::must(slot < slots, "a slot is less than 16384");
  return tags[slot];
}

}  // namespace tenure::redis
