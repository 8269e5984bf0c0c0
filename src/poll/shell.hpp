// The poller's hold on one `/bin/sh -c` that a watchdog guards (launcher.hpp). Letting go of it ends the command.
#pragma once

#include <optional>

#include "core/base/time.hpp"
#include "poll/command_orders.hpp"
#include "process/leash.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::poll {

class Shell {
 public:
  Shell(process::Leash watchdog, runtime::Descriptor out);

  // Unless told otherwise by then, everything is killed at that time.
  void guard(core::Time kill_at) const;
  // SIGTERM to all of them at the first call, SIGKILL to who is left at that time; again: it may only be sooner.
  void tell_to_end(core::Time kill_at) const;

  // Readable when it may have ended.
  int end_fd() const { return watchdog_.fd(); }
  // True: nobody is left, of the command and all that came of it.
  bool has_ended();
  // How, then. Nothing: its watchdog was killed.
  const std::optional<CommandReport>& report() const { return report_; }

  // Its standard output, which does not block.
  int out_fd() const { return out_.get(); }
  void close_out() { out_.reset(); }

 private:
  process::Leash watchdog_;
  runtime::Descriptor out_;
  std::optional<CommandReport> report_{};
};

}  // namespace tenure::poll
