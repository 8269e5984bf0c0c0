// tenure lock ls and tenure lock show.
#include <unistd.h>

#include <cstdio>

#include "cli/lock/lock.hpp"
#include "cli/lock/lock_look.hpp"
#include "cli/lock/lock_output.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "redis/key_names.hpp"

namespace tenure::cli {

namespace {

int print(const std::string& text, ExitCode code) {
  std::fputs(text.c_str(), stdout);
  return finish_output(code);
}

std::string hidden_text(std::size_t count) {
  return "the user may not look at " + std::to_string(count) + (count == 1 ? " key" : " keys") +
         ", with PTTL and GETRANGE: elections and fleets among these are not shown";
}

}  // namespace

int lock_ls(const LockLsArgs& args) {
  const auto nodes = lock_nodes(args.target, std::nullopt);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  const AllLeases leases = look_at_all_leases(*nodes, args.target.lock_prefix,
                                              args.sessions ? ShowSessions::listed : ShowSessions::counted);
  if (!say_failures(leases.looked, *nodes)) return number(ExitCode::no_quorum);
  if (leases.looked.hidden > 0) say(hidden_text(leases.looked.hidden));
  if (args.json) return print(locks_json(leases), ExitCode::done);
  const auto& locks = leases.looked.locks;
  if (locks.empty() && leases.fleets.empty()) {
    say("there are no locks under " + nodes->keyspace.key(args.target.lock_prefix) +
        ", no elections, and no sessions that anybody owns");
    return number(ExitCode::done);
  }
  std::string text = locks.empty() ? "" : lock_table(locks, screen_of(STDOUT_FILENO));
  if (!args.sessions)
    text += (text.empty() || leases.fleets.empty() ? "" : "\n") + fleet_lines(leases.fleets);
  return print(text, ExitCode::done);
}

int lock_show(const LockShowArgs& args) {
  const auto nodes = lock_nodes(args.target, args.name);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  if (auto error = redis::fleet_error(args.fleet, nodes->keyspace)) return fail(ExitCode::usage, *error);
  const Looked looked = look_at_name(*nodes, {args.target.lock_prefix, args.fleet}, args.name);
  if (!say_failures(looked, *nodes)) return number(ExitCode::no_quorum);
  const bool taken = looked.locks.front().taken();
  if (!taken && looked.hidden > 0) say(hidden_text(looked.hidden));
  std::string text;
  if (args.json) {
    text = lock_json(looked.locks, *nodes);
  } else {
    const Paint paint = paint_for(STDOUT_FILENO);
    for (const auto& lock : looked.locks) text += lock_page(lock, *nodes, paint);
  }
  return print(text, taken ? ExitCode::done : ExitCode::not_taken);
}

}  // namespace tenure::cli
