#include "cli/lock/lock_report.hpp"

#include <unistd.h>

#include <cstdio>

#include "cli/lock/lock_output.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"

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

int report_locks(const LockLsArgs& args, const AllLeases& leases, const std::vector<std::string>& names,
                 const std::string& key_prefix) {
  if (!say_failures(leases.looked, names)) return number(ExitCode::no_quorum);
  if (leases.looked.hidden > 0) say(hidden_text(leases.looked.hidden));
  if (args.json) return print(locks_json(leases), ExitCode::done);
  const auto& locks = leases.looked.locks;
  if (locks.empty() && leases.fleets.empty()) {
    say("there are no locks under " + key_prefix + ", no elections, and no sessions that anybody owns");
    return number(ExitCode::done);
  }
  std::string text = locks.empty() ? "" : lock_table(locks, screen_of(STDOUT_FILENO));
  if (!args.sessions)
    text += (text.empty() || leases.fleets.empty() ? "" : "\n") + fleet_lines(leases.fleets);
  return print(text, ExitCode::done);
}

int report_lock(const LockShowArgs& args, const Looked& looked, const std::vector<std::string>& names) {
  if (!say_failures(looked, names)) return number(ExitCode::no_quorum);
  const bool taken = looked.locks.front().taken();
  if (!taken && looked.hidden > 0) say(hidden_text(looked.hidden));
  std::string text;
  if (args.json) {
    text = lock_json(looked.locks, names);
  } else {
    const Paint paint = paint_for(STDOUT_FILENO);
    for (const auto& lock : looked.locks) text += lock_page(lock, names, paint);
  }
  return print(text, taken ? ExitCode::done : ExitCode::not_taken);
}

}  // namespace tenure::cli
