// What the poller, the host of its commands and the watchdog of a command say to each other (launcher.hpp).
#pragma once

#include <type_traits>

#include "core/base/time.hpp"

namespace tenure::poll {

// From the poller to the host: the beginning of a message. The variables of the command follow, "NAME=value" and a zero byte
// each, and with them go three descriptors: the watchdog's end of its leash, and the command's standard output and error.
struct StartCommand {
  core::Time kill_at{};
};
static_assert(std::is_trivially_copyable_v<StartCommand>);
inline constexpr std::size_t start_descriptors = 3;

// From the poller to the watchdog of one command.
struct CommandOrder {
  enum class Kind {
    guard,  // the lease goes on: what is left at kill_at is killed, no sooner
    end,    // ask it to end; what is left at kill_at is killed
  };

  Kind kind = Kind::end;
  core::Time kill_at{};
};

// From the watchdog to the poller: its last words, when there is nobody left.
struct CommandReport {
  enum class Kind {
    ended,        // number: the exit code, or 128 and the signal
    late,         // killed at the last time that was told for its lease
    not_started,  // number: errno; ETIME when that time was over, or it was told to end before
  };

  Kind kind = Kind::ended;
  int number = 0;
};

}  // namespace tenure::poll
