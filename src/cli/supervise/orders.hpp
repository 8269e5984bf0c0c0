// What tenure and its watchdog say to each other.
#pragma once

#include <sys/types.h>

#include "core/base/time.hpp"
#include "core/lease/grant.hpp"
#include "process/leash.hpp"

namespace tenure::cli {

using process::Leash;

// From tenure to the watchdog.
struct Order {
  enum class Kind { start, guard, pass_on, tell_to_end, kill };

  Kind kind = Kind::kill;
  core::Time kill_at{};        // start, guard: what is left then is killed without being asked again
  core::Time start_by{};       // start: later it is not started
  core::Token token = 0;       // start
  core::Time deadline{};       // start
  bool lend_terminal = false;  // start
  int signal = 0;              // pass_on: to the command's group
};

// From the watchdog to tenure. How the command ended is told by the watchdog's exit code.
struct Report {
  enum class Kind { started, not_started, stopped, late, refused, stuck };

  Kind kind = Kind::late;
  // started: the command, which leads a group; refused: whom we may not kill; stuck: who was killed and stays
  pid_t pid = 0;
  int number = 0;  // not_started: errno, ETIME when it was too late; stopped: the signal
};

}  // namespace tenure::cli
