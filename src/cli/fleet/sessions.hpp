// tenure sessions: what a fleet polls. Each gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int sessions_add(const SessionsAddArgs& args);
int sessions_change(const SessionsChangeArgs& args);
int sessions_ls(const SessionsLsArgs& args);

}  // namespace tenure::cli
