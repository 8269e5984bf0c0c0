// tenure lock ls and tenure lock show, on Redis.
#include "cli/lock/lock.hpp"
#include "cli/lock/lock_look.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/lock/lock_report.hpp"
#include "cli/message.hpp"
#include "redis/key_names.hpp"

namespace tenure::cli {

int lock_ls(const LockLsArgs& args) {
  const auto nodes = lock_nodes(args.target, std::nullopt);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  const AllLeases leases = look_at_all_leases(*nodes, args.target.lock_prefix,
                                              args.sessions ? ShowSessions::listed : ShowSessions::counted);
  return report_locks(args, leases, nodes->names(), nodes->keyspace.key(args.target.lock_prefix));
}

int lock_show(const LockShowArgs& args) {
  const auto nodes = lock_nodes(args.target, args.name);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  if (auto error = redis::fleet_error(args.fleet, nodes->keyspace)) return fail(ExitCode::usage, *error);
  const Looked looked = look_at_name(*nodes, {args.target.lock_prefix, args.fleet}, args.name);
  return report_lock(args, looked, nodes->names());
}

}  // namespace tenure::cli
