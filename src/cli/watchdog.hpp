// A second process that ends the command when tenure itself cannot: because it was stopped past the
// deadline, killed, or held up (F5). It can only kill: it knows a group and a time, and no lease.
#pragma once

#include <sys/types.h>

#include "core/time.hpp"
#include "runtime/descriptor.hpp"

namespace tenure::cli {

class Watchdog {
 public:
  // Make it before the first thread: it goes on in a forked copy of this process.
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // The group is killed then, or when we die, unless it is told otherwise before.
  void guard(pid_t group, core::Time kill_at) const;
  // Say this before the group's number can come to mean another.
  void stand_down() const;

 private:
  pid_t pid_ = -1;
  runtime::Descriptor leash_;
};

}  // namespace tenure::cli
