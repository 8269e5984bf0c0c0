// Arrays as PostgreSQL reads and writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::postgres {

std::string array_text(const std::vector<std::string_view>& items);
std::string array_text(const std::vector<std::int64_t>& items);

// "{1,-1,0}"; nothing for what is no array of numbers.
std::optional<std::vector<std::int64_t>> read_numbers(std::string_view text);

}  // namespace tenure::postgres
