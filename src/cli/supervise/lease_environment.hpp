// What a command finds in its environment about the lease that it runs under.
#pragma once

#include "cli/supervise/command.hpp"
#include "core/base/time.hpp"
#include "core/lease/grant.hpp"

namespace tenure::cli {

// TENURE_TOKEN and TENURE_DEADLINE.
void tell_of_lease(Command& command, core::Token token, core::Time deadline);

}  // namespace tenure::cli
