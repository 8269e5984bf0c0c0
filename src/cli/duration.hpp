// Durations as people type them: 500ms, 30s, 2m, 1h. Whole numbers of one unit; nothing is rounded.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/time.hpp"

namespace tenure::cli {

// Far above every use, and far below where arithmetic with nanoseconds ends.
inline constexpr core::Duration duration_max = std::chrono::hours(87'600);

// At least 1ms. The error is a sentence with the text in it.
tl::expected<core::Duration, std::string> parse_duration(std::string_view text);

}  // namespace tenure::cli
