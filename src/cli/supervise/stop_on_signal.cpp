#include "cli/supervise/stop_on_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>

#include "runtime/net/event_descriptor.hpp"

namespace tenure::cli {

StopOnSignal::StopOnSignal(Signals& signals)
    : signals_(signals), finished_(runtime::make_event_descriptor()), thread_([this] { listen(); }) {}

StopOnSignal::~StopOnSignal() { finish(); }

std::optional<int> StopOnSignal::finish() {
  if (thread_.joinable()) {
    eventfd_write(finished_.get(), 1);
    thread_.join();
  }
  return signal_;
}

void StopOnSignal::listen() {
  while (true) {
    std::array<pollfd, 2> ready{{{signals_.fd(), POLLIN, 0}, {finished_.get(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), -1) < 0) continue;
    // Others, like SIGUSR1, mean something to the command only, and it does not run yet.
    while (const auto signal = signals_.next()) {
      if (!asks_to_end(*signal)) continue;
      signal_ = signal;
      stop_.request_stop();
      return;
    }
    if (ready[1].revents != 0) return;
  }
}

}  // namespace tenure::cli
