// Values of Redis from lines that a person can write and a fuzzer can cut anywhere: RESP without its lengths.
//   :12  +OK  -ERR no  $a string  _ (nil)  *3 (an array of the next three lines)
#pragma once

#include <optional>
#include <string_view>

#include "redis/value.hpp"

namespace tenure::fuzz {

// Takes the next line off the input, without its end; nothing when there is none.
std::optional<std::string_view> next_line(std::string_view& input);

// The value that begins with this line; arrays take theirs off the input. Nothing when the line is no value.
std::optional<redis::Value> read_value(std::string_view line, std::string_view& input);

}  // namespace tenure::fuzz
