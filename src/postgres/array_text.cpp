#include "postgres/array_text.hpp"

#include <charconv>
#include <system_error>

namespace tenure::postgres {

std::string array_text(const std::vector<std::string_view>& items) {
  std::string text = "{";
  for (const std::string_view item : items) {
    if (text.size() > 1) text += ',';
    text += '"';
    for (const char letter : item) {
      if (letter == '"' || letter == '\\') text += '\\';
      text += letter;
    }
    text += '"';
  }
  return text += '}';
}

std::string array_text(const std::vector<std::int64_t>& items) {
  std::string text = "{";
  for (const std::int64_t item : items) {
    if (text.size() > 1) text += ',';
    text += std::to_string(item);
  }
  return text += '}';
}

std::optional<std::vector<std::int64_t>> read_numbers(std::string_view text) {
  if (!text.starts_with('{') || !text.ends_with('}')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::int64_t> items;
  while (!text.empty()) {
    std::int64_t item = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), item);
    if (error != std::errc{}) return std::nullopt;
    items.push_back(item);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return items;
}

}  // namespace tenure::postgres
