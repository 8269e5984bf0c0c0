// Patterns of Redis (SCAN MATCH) for texts that are meant as they are.
#pragma once

#include <string>
#include <string_view>

namespace tenure::redis {

// Of all keys that begin so.
inline std::string pattern_of(std::string_view prefix) {
  std::string pattern;
  for (const char letter : prefix) {
    if (std::string_view("*?[]\\").find(letter) != std::string_view::npos) pattern += '\\';
    pattern += letter;
  }
  return pattern + "*";
}

}  // namespace tenure::redis
