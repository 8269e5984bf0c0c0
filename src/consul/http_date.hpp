// The date that a server says with its answer: "Thu, 19 Nov 2026 23:20:59 GMT".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenure::consul {

// In unix milliseconds, of which it tells whole seconds.
std::optional<std::int64_t> read_http_date(std::string_view text);

}  // namespace tenure::consul
