// The commands that change the nodes themselves, on PostgreSQL: the same words and exit codes as on Redis. They are in
// tenure-fleet, because they need libpq.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int postgresql_init(const InitArgs& args);
int postgresql_reconfigure(const ReconfigureArgs& args);
int postgresql_lock_break(const LockBreakArgs& args);

}  // namespace tenure::cli
