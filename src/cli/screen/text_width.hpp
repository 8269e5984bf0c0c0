// How many columns of a terminal a text takes, and the part of it that fits into so many. Takes UTF-8 without control
// characters (core::printable); the escape sequences of colours (paint.hpp) take no room.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace tenure::cli {

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// East Asian characters and pictographs take two columns, accents that stand on another character none.
std::size_t columns(std::string_view text);

// The text, or its beginning and "…". A colour that is cut off ends with it.
std::string clipped(std::string_view text, std::size_t columns_max);

}  // namespace tenure::cli
