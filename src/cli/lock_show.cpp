// tenure lock ls and tenure lock show.
#include <cstdio>

#include "cli/lock.hpp"
#include "cli/lock_look.hpp"
#include "cli/lock_output.hpp"
#include "cli/lock_plan.hpp"
#include "cli/message.hpp"

namespace tenure::cli {

namespace {

int print(const std::string& text, ExitCode code) {
  std::fputs(text.c_str(), stdout);
  return finish_output(code);
}

}  // namespace

int lock_ls(const LockLsArgs& args) {
  const auto nodes = lock_nodes(args.place, std::nullopt);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  const Looked looked = look_at_all_locks(*nodes, nodes->keyspace.key(args.place.lock_prefix));
  if (!say_failures(looked, *nodes)) return number(ExitCode::no_quorum);
  if (args.json) return print(locks_json(looked.locks), ExitCode::done);
  if (looked.locks.empty()) {
    say("there are no locks under " + nodes->keyspace.key(args.place.lock_prefix));
    return number(ExitCode::done);
  }
  return print(lock_table(looked.locks), ExitCode::done);
}

int lock_show(const LockShowArgs& args) {
  const auto nodes = lock_nodes(args.place, args.name);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  const Looked looked = look_at_lock(*nodes, nodes->keyspace.key(args.place.lock_prefix), args.name);
  if (!say_failures(looked, *nodes)) return number(ExitCode::no_quorum);
  const LockView& lock = looked.locks.front();
  return print(args.json ? lock_json(lock, *nodes) : lock_page(lock, *nodes),
               lock.taken() ? ExitCode::done : ExitCode::not_taken);
}

}  // namespace tenure::cli
