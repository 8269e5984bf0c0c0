// The signals that the program is sent, read from a descriptor like other events.
// Make it before the first thread: every thread inherits that they are blocked.
#pragma once

#include <csignal>
#include <optional>

#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

class Signals {
 public:
  Signals();

  // Readable when a signal has come.
  int fd() const { return fd_.get(); }
  std::optional<int> next();

  // In a forked child: everything as it was when the program started. Safe after a fork with threads.
  void restore() const;

 private:
  runtime::Descriptor fd_;
  sigset_t mask_before_{};
  struct sigaction pipe_before_{};
  struct sigaction child_before_{};
};

// Would this signal end a program that does not expect it because somebody wants it to end?
bool asks_to_end(int signal);

}  // namespace tenure::cli
