#include "cli/natural_order.hpp"

#include <algorithm>

namespace tenure::cli {

namespace {

constexpr std::string_view digits = "0123456789";

bool begins_with_digit(std::string_view text) {
  return !text.empty() && digits.find(text.front()) != std::string_view::npos;
}

// Takes the digits at the beginning away, and gives them without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::string_view number = text.substr(0, text.find_first_not_of(digits));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

std::strong_ordering by_value(std::string_view one, std::string_view other) {
  const auto by_length = one.size() <=> other.size();
  return by_length != 0 ? by_length : one <=> other;
}

}  // namespace

std::strong_ordering natural_order(std::string_view one, std::string_view other) {
  std::string_view left = one;
  std::string_view right = other;
  while (!left.empty() && !right.empty()) {
    if (begins_with_digit(left) && begins_with_digit(right)) {
      const auto order = by_value(take_number(left), take_number(right));
      if (order != 0) return order;
    } else {
      const auto order =
          static_cast<unsigned char>(left.front()) <=> static_cast<unsigned char>(right.front());
      if (order != 0) return order;
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  const auto order = left.size() <=> right.size();
  return order != 0 ? order : one <=> other;
}

}  // namespace tenure::cli
