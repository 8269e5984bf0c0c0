#include "fuzz/values.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace tenure::fuzz {

namespace {

using redis::Value;

// The reader lets no deeper ones pass.
constexpr int depth_max = 8;

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Value> read_value(std::string_view line, std::string_view& input, int depth) {
  if (line.empty()) return std::nullopt;
  const std::string_view rest = line.substr(1);
  switch (line.front()) {
    case ':':
      return Value::of(number(rest));
    case '+':
      return Value::status(std::string(rest));
    case '-':
      return Value::error(std::string(rest));
    case '$':
      return Value::string(std::string(rest));
    case '_':
      return Value::nil();
    case '*':
      break;
    default:
      return std::nullopt;
  }
  std::vector<Value> items;
  for (auto left = number(rest); left > 0 && depth < depth_max; --left) {
    const auto next = next_line(input);
    if (!next) break;
    if (auto item = read_value(*next, input, depth + 1)) items.push_back(std::move(*item));
  }
  return Value::array(std::move(items));
}

}  // namespace

std::optional<std::string_view> next_line(std::string_view& input) {
  if (input.empty()) return std::nullopt;
  const std::string_view line = input.substr(0, input.find('\n'));
  input.remove_prefix(std::min(input.size(), line.size() + 1));
  return line;
}

std::optional<Value> read_value(std::string_view line, std::string_view& input) {
  return read_value(line, input, 1);
}

}  // namespace tenure::fuzz
