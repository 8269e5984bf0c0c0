// Durations as people type them: 500ms, 30s, 2m, 1h. Whole numbers of one unit; nothing is rounded.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/base/time.hpp"

namespace tenure::core {

// At least 1ms. The error is a sentence with the text in it.
tl::expected<Duration, std::string> parse_duration(std::string_view text);

}  // namespace tenure::core
