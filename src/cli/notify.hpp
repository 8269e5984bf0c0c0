// Tells a service manager how we are, by the protocol of sd_notify(3): datagrams to the socket that NOTIFY_SOCKET names.
// Where nobody manages us, every call does nothing. A manager that does not listen is not waited for.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

class Notify {
 public:
  // Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from the environment, so that nothing we start speaks in our name.
  // Make it before the first thread, and before a Command copies the environment.
  Notify();

  // The status is one line for a person; systemctl status shows it. From any thread.
  void ready(std::string_view status) const;
  void status(std::string_view status) const;
  void stopping() const;

  // How long the loop that calls beat() may sleep: half of what the manager's watchdog waits for. Nothing: there is none.
  std::optional<std::chrono::milliseconds> beat_every() const { return beat_every_; }
  // The same for poll(2), which may sleep for so long as well; negative: for ever.
  int at_most(int milliseconds) const;
  // Says that we are alive. To be called by a loop when it turns, by no thread of its own.
  void beat() const;

 private:
  void send(const std::string& message) const;

  std::string address_{};  // as the kernel wants it: of an abstract one the first byte is 0
  runtime::Descriptor socket_{};
  std::optional<std::chrono::milliseconds> beat_every_{};
};

}  // namespace tenure::cli
