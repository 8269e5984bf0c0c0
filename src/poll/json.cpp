#include "poll/json.hpp"

#include <array>
#include <cstdio>

#include "core/base/names.hpp"

namespace tenure::poll {

namespace {

// The one letter after a backslash, or 0.
char short_escape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
      return letter;
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

// Of one control character.
std::string escaped(std::string_view sequence) {
  const std::uint32_t point = core::code_point(sequence);
  std::array<char, 16> text{};
  if (point < 0x10000) {
    std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(point));
  } else {
    // JSON writes what has more than 16 bits as two surrogates.
    const std::uint32_t rest = point - 0x10000;
    std::snprintf(text.data(), text.size(), "\\u%04x\\u%04x", static_cast<unsigned>(0xd800 + (rest >> 10U)),
                  static_cast<unsigned>(0xdc00 + (rest & 0x3ffU)));
  }
  return text.data();
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = core::utf8_length(text.substr(at));
    if (length == 0) {
      quoted += "\xef\xbf\xbd";
      at += 1;
      continue;
    }
    const auto sequence = text.substr(at, length);
    if (const char letter = length == 1 ? short_escape(text[at]) : '\0'; letter != 0) {
      quoted.append("\\").append(1, letter);
    } else if (core::is_control(sequence)) {
      quoted += escaped(sequence);
    } else {
      quoted += sequence;
    }
    at += length;
  }
  return quoted + "\"";
}

Json& Json::key(std::string_view name) {
  separate();
  written_.append(json_quoted(name)).append(": ");
  first_ = true;  // its value follows without a comma
  return *this;
}

Json& Json::decimal(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return raw(text.data());
}

Json& Json::open(char bracket) {
  separate();
  written_ += bracket;
  first_ = true;
  return *this;
}

Json& Json::close(char bracket) {
  written_ += bracket;
  first_ = false;
  return *this;
}

Json& Json::raw(std::string_view value) {
  separate();
  written_ += value;
  return *this;
}

void Json::separate() {
  if (!first_) written_ += ", ";
  first_ = false;
}

}  // namespace tenure::poll
