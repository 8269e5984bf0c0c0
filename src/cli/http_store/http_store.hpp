// The commands that change the nodes themselves, on a Kubernetes or a Consul: the same words and exit codes as on Redis, or why there is
// nothing to do. They are in tenure-fleet, because they need libcurl.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int http_store_init(const InitArgs& args);
int http_store_reconfigure(const ReconfigureArgs& args);
int http_store_lock_break(const LockBreakArgs& args);

}  // namespace tenure::cli
