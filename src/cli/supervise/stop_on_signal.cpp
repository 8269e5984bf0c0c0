#include "cli/supervise/stop_on_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <utility>

#include "runtime/net/event_descriptor.hpp"

namespace tenure::cli {

StopOnSignal::StopOnSignal(Signals& signals, std::function<void(int)> on_other)
    : signals_(signals),
      on_other_(std::move(on_other)),
      finished_(runtime::make_event_descriptor()),
      thread_([this] { listen(); }) {}

StopOnSignal::StopOnSignal(Signals& signals, const Notify& notify, std::function<void(int)> on_other)
    : signals_(signals),
      notify_(&notify),
      on_other_(std::move(on_other)),
      finished_(runtime::make_event_descriptor()),
      thread_([this] { listen(); }) {}

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
    if (poll(ready.data(), ready.size(), notify_ != nullptr ? notify_->at_most(-1) : -1) < 0) continue;
    if (notify_ != nullptr) notify_->beat();
    // Others, like SIGUSR1, mean something to the command only, and it does not run yet.
    while (const auto signal = signals_.next()) {
      if (!asks_to_end(*signal)) {
        if (on_other_) on_other_(*signal);
        continue;
      }
      signal_ = signal;
      stop_.request_stop();
      return;
    }
    if (ready[1].revents != 0) return;
  }
}

}  // namespace tenure::cli
