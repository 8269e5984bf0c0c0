#include "runtime/engine/teller.hpp"

#include "runtime/engine/thrown.hpp"

namespace tenure::runtime {

namespace {

// How it is logged, if it is logged here.
const LogEvent* log_event_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::acquired:
      return &log_event::lease_acquired;
    case Event::Kind::renewed:
      return &log_event::lease_renewed;
    case Event::Kind::lost:
      return &log_event::lease_lost;
    case Event::Kind::released:
      return &log_event::lease_released;
    case Event::Kind::uncertain:
    case Event::Kind::clock_jumped:
      break;
  }
  return nullptr;
}

const char* words_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::acquired:
      return " was acquired";
    case Event::Kind::renewed:
      return " was renewed";
    case Event::Kind::lost:
      return " was lost";
    case Event::Kind::released:
      return " was released";
    case Event::Kind::uncertain:
    case Event::Kind::clock_jumped:
      break;
  }
  return "";
}

}  // namespace

void Teller::log(const LogEvent& event, std::string message, std::vector<LogField> fields) {
  if (!logs(event.level)) return;
  // There is nobody to tell that the log itself has thrown.
  executor_.post([on_log = on_log_, line = LogLine{event.level, event.name, std::move(message),
                                                   std::move(fields)}] { thrown_by(on_log, line); },
                 CallbackExecutor::Kind::may_be_dropped);
}

bool Teller::wanted(Event::Kind kind) const {
  const LogEvent* logged = log_event_of(kind);
  return on_event_ || (logged != nullptr && logs(logged->level));
}

void Teller::tell(Event event, std::string reason) {
  if (const LogEvent* logged = log_event_of(event.kind); logged != nullptr && logs(logged->level)) {
    std::string message = event.name + words_of(event.kind) + " (token " + std::to_string(event.token) + ")";
    std::vector<LogField> fields{{"name", event.name}, {"token", event.token}};
    if (!reason.empty()) fields.push_back({"reason", std::move(reason)});
    if (!event.detail.empty()) {
      message += ": " + event.detail;
      fields.push_back({"detail", event.detail});
    }
    log(*logged, std::move(message), std::move(fields));
  }
  if (!on_event_) return;
  executor_.post(
      [on_event = on_event_, on_log = logs(log_event::callback_threw.level) ? on_log_ : OnLog(),
       event = std::move(event)] {
        const auto thrown = thrown_by(on_event, event);
        if (!thrown || !on_log) return;
        const auto& [name, level] = log_event::callback_threw;
        const LogLine line{level, name, "on_event has thrown" + *thrown, {{"callback", "on_event"}}};
        thrown_by(on_log, line);
      },
      CallbackExecutor::Kind::may_be_dropped);
}

}  // namespace tenure::runtime
