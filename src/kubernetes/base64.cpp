#include "kubernetes/base64.hpp"

#include <cstdint>

namespace tenure::kubernetes {

std::optional<std::string> read_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;  // of the bits that no byte was made of
  std::size_t read = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    read += 1;
    if (c == '=') {
      padding += 1;
      continue;
    }
    const auto digit = digits.find(c);
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(static_cast<unsigned char>(bits >> count));
    bits &= (1U << count) - 1;
  }
  if (read % 4 != 0 || padding > 2) return std::nullopt;
  return bytes;
}

}  // namespace tenure::kubernetes
