#include "poll/shell.hpp"

#include <utility>

namespace tenure::poll {

using process::Leash;

Shell::Shell(Leash watchdog, runtime::Descriptor out)
    : watchdog_(std::move(watchdog)), out_(std::move(out)) {}

void Shell::guard(core::Time kill_at) const {
  watchdog_.say(CommandOrder{CommandOrder::Kind::guard, kill_at});
}

void Shell::tell_to_end(core::Time kill_at) const {
  watchdog_.say(CommandOrder{CommandOrder::Kind::end, kill_at});
}

bool Shell::has_ended() {
  CommandReport report;
  while (true) {
    switch (watchdog_.hear(report)) {
      case Leash::Heard::nothing:
        return false;
      case Leash::Heard::end:
        return true;
      case Leash::Heard::message:
        report_ = report;
    }
  }
}

}  // namespace tenure::poll
