#include <string_view>

#include "http_client/http_calls.hpp"

namespace tenure::http_client {

std::string url_escaped(std::string_view text) {
  constexpr std::string_view plain = "-._~";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string escaped;
  for (const char letter : text) {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (is_letter || (letter >= '0' && letter <= '9') || plain.find(letter) != std::string_view::npos) {
      escaped += letter;
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    escaped += '%';
    escaped += digits[byte >> 4];
    escaped += digits[byte & 15];
  }
  return escaped;
}

}  // namespace tenure::http_client
