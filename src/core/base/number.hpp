// Numbers as other machines write them: nothing but digits, all of them.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace tenure::core {

// Nothing when it is empty, signed, has anything else in it, or does not fit.
template <class Number>
std::optional<Number> read_number(std::string_view digits) {
  Number value = 0;
  if (digits.starts_with('-')) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace tenure::core
