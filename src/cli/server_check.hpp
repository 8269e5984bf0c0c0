// Is a server one that Tenure works with? Asks it once; changes nothing.
#pragma once

#include <optional>

#include "core/message.hpp"
#include "runtime/caller.hpp"

namespace tenure::cli {

// Why not, or nothing when it is.
std::optional<core::Failure> unfit(runtime::Caller& redis);

}  // namespace tenure::cli
