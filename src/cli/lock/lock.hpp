// tenure lock: who holds what, and how to take it away. Each gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int lock_ls(const LockLsArgs& args);
int lock_show(const LockShowArgs& args);
int lock_break(const LockBreakArgs& args);

}  // namespace tenure::cli
