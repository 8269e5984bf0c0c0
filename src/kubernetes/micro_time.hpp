// Moments as the API server writes them: for other programs to read. Nothing is decided by comparing them with a clock.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::kubernetes {

// Since 1970.
using Micros = std::chrono::microseconds;

// 2026-11-19T23:20:48.123456Z.
std::string micro_time(Micros moment);
// Also without a fraction, and with another zone. Returns nullopt for anything else.
std::optional<Micros> read_micro_time(std::string_view text);

// The header Date: "Thu, 19 Nov 2026 23:20:48 GMT".
std::optional<std::chrono::seconds> read_http_date(std::string_view text);

}  // namespace tenure::kubernetes
