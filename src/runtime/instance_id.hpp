// The name of this process among all others, made once and never again: host, boot time, random (P5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/random.hpp"

namespace tenure::runtime {

// Seeded with all its bits by the kernel.
core::Random random_from_kernel();

// "<hostname>-<unix time at start>-<8 hex digits>".
std::string make_instance_id();

// When a process with such an id began, in unix time; nothing for an id that somebody chose.
std::optional<std::int64_t> began(std::string_view instance_id);

}  // namespace tenure::runtime
