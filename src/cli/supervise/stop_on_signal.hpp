// Turns a signal that asks to end into a stopped token, for as long as a blocking call lasts.
#pragma once

#include <optional>
#include <stop_token>
#include <thread>

#include "cli/supervise/signals.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

class StopOnSignal {
 public:
  explicit StopOnSignal(Signals& signals);
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
  runtime::Descriptor finished_;
  std::stop_source stop_;
  std::optional<int> signal_;
  std::thread thread_;
};

}  // namespace tenure::cli
