// A fault of a run: what, when, to whom, how long. Numbers F1 to F16 are those of the tests in tests/faults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace tenure::faults {

enum class Kind : std::uint8_t {
  kill_node,        // F1, F2: and started again; what was not on disk is lost
  stop_node,        // F3
  cut_node,         // nobody reaches it
  step_back,        // F8: its clock goes back while it is used
  step_forward,     // F8: its clock goes forward after nobody has reached it for longer than a lease lasts
  wipe,             // F9: all that Tenure keeps there is gone
  wipe_two,         // F14: there and on the next one, at once
  remove_lease,     // F9: one lease is deleted there
  fill,             // F11: maxmemory is reached
  forget_scripts,   // F12
  block,            // F13: by a script of somebody else
  lock_rows,        // F13 of PostgreSQL: by a transaction of somebody else
  read_only,        // F15 of PostgreSQL: it takes no writes
  end_sessions,     // of all clients, by the server
  crash_session,    // of one, and so PostgreSQL starts anew, and with it all
  stop_client,      // F4: with everything it has started
  stop_supervisor,  // F5: only tenure, not its watchdog and its command
  cut_client,       // F6: from two nodes or all
  lose_answers,     // F7: requests get through
  lose_requests,    // F7: answers get through
  hold,             // F7: everything, and then it comes late
  replay,           // F7: the last commands come once more
  delay,            // F7
  split,            // F7: into single bytes
  kill_client,      // F16: everything at once
  kill_supervisor,  // F16: only tenure
  end_client,       // SIGTERM
};
inline constexpr std::size_t kinds = static_cast<std::size_t>(Kind::end_client) + 1;

struct Fault {
  std::size_t id = 0;
  core::Duration at{};  // since the run began
  Kind kind{};
  core::Duration length{};
  std::size_t whom = 0;      // a node, or a client as Crowd counts them
  std::uint64_t detail = 0;  // chance, for what remains to be chosen

  core::Duration end() const { return at + length; }
};

std::string_view name(Kind kind);
// "F3", or nothing where the list has no number.
std::string_view number(Kind kind);
bool is_of_node(Kind kind);

}  // namespace tenure::faults
