// Which names, owner ids and key prefixes are accepted. What is accepted is taken literally.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::core {

inline constexpr std::size_t name_length_max = 512;

// Where the valid UTF-8 sequence at the start of text ends, as a length; 0 when it is broken.
std::size_t utf8_length(std::string_view text);

// The character that this one valid UTF-8 sequence stands for.
std::uint32_t code_point(std::string_view sequence);

// Is this one UTF-8 sequence a control character: one that could drive a terminal, that nobody sees, or that turns the
// order of those around it (U+202E), so that one name could look like another?
bool is_control(std::string_view sequence);

// Why this cannot be a name, or nothing when it can: not empty, at most 512 bytes, valid UTF-8, no
// control characters. "what" begins the sentence: "the name", "the owner id".
std::optional<std::string> name_error(std::string_view what, std::string_view name);

}  // namespace tenure::core
