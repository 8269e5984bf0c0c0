// Words for people: durations as they are typed ("500ms", "30s", "2m"), and bytes from elsewhere made
// safe to show on a terminal or in a log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace tenure::core {

std::string to_text(Duration duration);

// 64 bits as 16 hexadecimal digits.
std::string hex16(std::uint64_t bits);
void append_hex16(std::string& text, std::uint64_t bits);

// Control bytes and broken UTF-8 become \xNN, and long text is cut: nothing that a server or a key
// says is ever interpreted by the reader's terminal.
std::string printable(std::string_view text, std::size_t length_max = 200);

}  // namespace tenure::core
