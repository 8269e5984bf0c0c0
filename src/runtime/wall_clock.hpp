// The wall clock, as another witness of how long a quarantine has lasted, and for when polls are due. Nothing else is
// decided by it.
#pragma once

#include <cstdint>

namespace tenure::runtime {

// Unix time in milliseconds.
std::int64_t wall_now_ms();

}  // namespace tenure::runtime
