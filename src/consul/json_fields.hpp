// Fields of JSON objects that others have written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "poll/json_text.hpp"

namespace tenure::consul {

// Returns nullopt where there is no such field, or none of that kind.
std::optional<std::string> text_in(const poll::json::object& object, std::string_view name);
std::optional<std::uint64_t> number_in(const poll::json::object& object, std::string_view name);

}  // namespace tenure::consul
