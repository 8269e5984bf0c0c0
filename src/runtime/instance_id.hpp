// The name of this process among all others, made once and never again: host, boot time, random (P5).
#pragma once

#include <string>

#include "core/random.hpp"

namespace tenure::runtime {

// Seeded with all its bits by the kernel.
core::Random random_from_kernel();

// "<hostname>-<unix time at start>-<8 hex digits>".
std::string make_instance_id();

}  // namespace tenure::runtime
