#include "poll/json_text.hpp"

#include <algorithm>
#include <cmath>

namespace tenure::poll {

namespace {

// Nobody nests that deeply by hand, and the parser's memory stays small.
constexpr std::size_t depth_max = 16;

// A number beyond all that a double knows is read as infinite, and no JSON can be written of that.
bool is_finite(const json::value& value) {
  if (const auto* number = value.if_double()) return std::isfinite(*number);
  if (const auto* array = value.if_array()) return std::ranges::all_of(*array, is_finite);
  if (const auto* object = value.if_object()) {
    return std::ranges::all_of(*object, [](const auto& member) { return is_finite(member.value()); });
  }
  return true;
}

}  // namespace

tl::expected<json::value, std::string> read_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = depth_max;
  json::parser parser({}, options);
  json::error_code error;
  const std::size_t read = parser.write(text.data(), text.size(), error);
  if (error) return tl::unexpected(error.message() + " at byte " + std::to_string(read + 1));
  auto value = parser.release();
  if (!is_finite(value)) return tl::unexpected(std::string("a number in it is too large"));
  return value;
}

}  // namespace tenure::poll
