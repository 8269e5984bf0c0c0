// The clock that deadlines are counted on: it goes on while the machine is suspended (T24), and nobody
// can set it (T23).
#pragma once

#include "core/base/time.hpp"

namespace tenure::runtime {

core::Time boot_now();

}  // namespace tenure::runtime
