#include "cli/shell_word.hpp"

#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-:@%+,";

// Where one of these letters stands, the other text stands before it.
std::string with_each(std::string_view letters, std::string_view replaced_by, std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letters.find(letter) != std::string_view::npos) result += replaced_by;
    result += letter;
  }
  return result;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  if (core::printable(text, std::string::npos) == text) {
    // A quote ends the quotes, stands for itself behind a backslash, and begins them again.
    return "'" + with_each("'", "'\\'", text) + "'";
  }
  return "$'" + core::printable(with_each("\\'", "\\", text), std::string::npos) + "'";
}

}  // namespace tenure::cli
