// One RESP2 value as Redis sent it. Bytes are kept as they came; nothing here is safe to print.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tenure::redis {

struct Value {
  enum class Kind : std::uint8_t { nil, integer, status, string, array, error };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  std::string text{};          // of a status, string or error
  std::vector<Value> items{};  // of an array

  static Value nil() { return {}; }
  static Value of(std::int64_t number) { return {.kind = Kind::integer, .integer = number}; }
  static Value status(std::string text) { return {.kind = Kind::status, .text = std::move(text)}; }
  static Value string(std::string text) { return {.kind = Kind::string, .text = std::move(text)}; }
  static Value error(std::string text) { return {.kind = Kind::error, .text = std::move(text)}; }
  static Value array(std::vector<Value> items) { return {.kind = Kind::array, .items = std::move(items)}; }

  bool operator==(const Value&) const = default;
};

}  // namespace tenure::redis
