// Tells the user what happens beside the calls: lines for a log, and events. On a thread of its own, in order, and never
// so that a renewal would have to wait.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/engine/callback_executor.hpp"
#include "runtime/engine/log_events.hpp"
#include "tenure/event.hpp"
#include "tenure/log.hpp"

namespace tenure::runtime {

class Teller {
 public:
  using OnLog = std::function<void(const LogLine&)>;
  using OnEvent = std::function<void(const Event&)>;

  Teller(OnLog on_log, LogLevel level, OnEvent on_event)
      : on_log_(std::move(on_log)), level_(level), on_event_(std::move(on_event)) {}

  // Is a line of this level read by anybody? Lines are not made for nobody.
  bool logs(LogLevel level) const { return on_log_ && level <= level_; }
  void log(const LogEvent& event, std::string message, std::vector<LogField> fields = {});

  // Does somebody want to know: as an event, or as a line of the log?
  bool wanted(Event::Kind kind) const;
  // What happens to a lease is also logged; of an uncertain one and of a clock whoever knows more logs it. The reason is
  // for the log: a word, where there is one.
  void tell(Event event, std::string reason = {});

 private:
  OnLog on_log_;
  LogLevel level_;
  OnEvent on_event_;
  CallbackExecutor executor_{1};
};

}  // namespace tenure::runtime
