// tenure lock ls and tenure lock show.
#include "cli/lock/lock.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/lock/lock_report.hpp"
#include "cli/message.hpp"

namespace tenure::cli {

int lock_ls(const LockLsArgs& args) {
  const auto store = lock_store(args.target, std::nullopt);
  if (!store) return fail(ExitCode::usage, store.error());
  const NodeInspector& nodes = *store->inspector;
  const AllLeases leases =
      nodes.all_leases(args.target.lock_prefix, args.sessions ? ShowSessions::listed : ShowSessions::counted);
  return report_locks(args, leases, nodes.names(), nodes.root() + args.target.lock_prefix);
}

int lock_show(const LockShowArgs& args) {
  const auto store = lock_store(args.target, args.name);
  if (!store) return fail(ExitCode::usage, store.error());
  if (store->fleets) {
    const auto keys = store->store->fleet_keys(args.fleet);
    if (!keys) return fail(ExitCode::usage, keys.error());
  }
  const NodeInspector& nodes = *store->inspector;
  const Looked looked = nodes.leases_of({args.target.lock_prefix, args.fleet}, args.name);
  return report_lock(args, looked, nodes.names());
}

}  // namespace tenure::cli
