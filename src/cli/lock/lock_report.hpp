// What tenure lock ls and show print of what was looked at, of whatever kind of store. Each gives the exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/args/args.hpp"
#include "cli/lock/lock_look.hpp"

namespace tenure::cli {

// The names are those of the nodes; the keys of locks begin with the prefix.
int report_locks(const LockLsArgs& args, const AllLeases& leases, const std::vector<std::string>& names,
                 const std::string& key_prefix);
int report_lock(const LockShowArgs& args, const Looked& looked, const std::vector<std::string>& names);

}  // namespace tenure::cli
