// Durations as Go writes them: "15s", "1m30s", "10500ms".
#pragma once

#include <optional>
#include <string_view>

#include "core/base/time.hpp"

namespace tenure::consul {

// In whole milliseconds. Returns nullopt for what is none, or is not between 0 and a day.
std::optional<core::Ttl> read_duration(std::string_view text);

}  // namespace tenure::consul
