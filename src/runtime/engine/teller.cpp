#include "runtime/engine/teller.hpp"

#include "runtime/engine/thrown.hpp"

namespace tenure::runtime {

void Teller::log(std::string sentence) {
  if (!log_) return;
  // There is nobody to tell that the log itself has thrown.
  executor_.post([log = log_, sentence = std::move(sentence)] { thrown_by(log, sentence); },
                 CallbackExecutor::Kind::may_be_dropped);
}

void Teller::tell(Event event) {
  if (!on_event_) return;
  executor_.post(
      [on_event = on_event_, log = log_, event = std::move(event)] {
        const auto thrown = thrown_by(on_event, event);
        if (thrown && log) thrown_by(log, "on_event has thrown" + *thrown);
      },
      CallbackExecutor::Kind::may_be_dropped);
}

}  // namespace tenure::runtime
