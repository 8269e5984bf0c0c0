// What a command finds in its environment about the lease that it runs under.
#pragma once

#include "cli/command.hpp"
#include "core/grant.hpp"
#include "core/time.hpp"

namespace tenure::cli {

// TENURE_TOKEN and TENURE_DEADLINE.
void tell_of_lease(Command& command, core::Token token, core::Time deadline);

}  // namespace tenure::cli
