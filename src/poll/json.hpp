// Writes one JSON value, piece by piece, always well escaped: what came from a store may hold any byte.
// Checks nothing but commas: whoever opens an object closes it, and writes a key before each value in it.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::poll {

// Quoted. Control characters are written as \u00NN, and what is not UTF-8 as U+FFFD.
std::string json_quoted(std::string_view text);

template <typename T>
concept Number = std::integral<T> && !std::same_as<T, bool>;

class Json {
 public:
  Json& open_object() { return open('{'); }
  Json& close_object() { return close('}'); }
  Json& open_array() { return open('['); }
  Json& close_array() { return close(']'); }

  Json& key(std::string_view name);
  Json& text(std::string_view value) { return raw(json_quoted(value)); }
  Json& number(Number auto value) { return raw(std::to_string(value)); }
  template <Number T>
  Json& number_or_null(const std::optional<T>& value) {
    return value ? number(*value) : null();
  }
  Json& decimal(double value);  // with two decimals
  Json& text_or_null(std::string_view value) { return value.empty() ? null() : text(value); }
  Json& boolean(bool value) { return raw(value ? "true" : "false"); }
  Json& null() { return raw("null"); }

  const std::string& written() const { return written_; }

 private:
  Json& open(char bracket);
  Json& close(char bracket);
  Json& raw(std::string_view value);
  void separate();

  std::string written_;
  bool first_ = true;  // nothing stands before what comes next, in its object or array
};

}  // namespace tenure::poll
