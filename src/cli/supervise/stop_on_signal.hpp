// Turns a signal that asks to end into a stopped token, for as long as a blocking call lasts.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

#include "cli/notify.hpp"
#include "cli/supervise/signals.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

class StopOnSignal {
 public:
  // What else comes is told to on_other, on a thread of its own.
  explicit StopOnSignal(Signals& signals, std::function<void(int)> on_other = {});
  // Also tells the service manager that we are alive, for a caller whose own thread waits in the library.
  StopOnSignal(Signals& signals, const Notify& notify, std::function<void(int)> on_other = {});
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  // Stops the token without a signal.
  void stop() { stop_.request_stop(); }
  // Stops listening; later signals stay in the queue. The signal that came, if any.
  std::optional<int> finish();

 private:
  void listen();

  Signals& signals_;
  const Notify* notify_ = nullptr;
  std::function<void(int)> on_other_;
  runtime::Descriptor finished_;
  std::stop_source stop_;
  std::optional<int> signal_;
  std::thread thread_;
};

}  // namespace tenure::cli
