#include "api/context.hpp"
#include "core/lease/access.hpp"
#include "core/lease/record.hpp"
#include "runtime/text/quarantine_text.hpp"
#include "runtime/text/refusal_text.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::detail {

namespace {

using Code = Refusal::Code;

Code code_of(core::RefusalCode code, const Context& context) {
  switch (code) {
    case core::RefusalCode::held:
      return Code::held;
    case core::RefusalCode::no_quorum:
      return Code::no_quorum;
    case core::RefusalCode::not_open:
      return Code::not_open;
    case core::RefusalCode::too_slow:
      return Code::too_slow;
    case core::RefusalCode::waited:
      return Code::waited;
    case core::RefusalCode::cancelled:
      break;
  }
  return context.client.closed() ? Code::closed : Code::cancelled;
}

// Everything but the message.
Refusal fields_of(const core::Refusal& refusal, const Context& context) {
  const auto& store = *context.store;
  Refusal shown{code_of(refusal.code, context), {}};
  if (refusal.held) {
    const auto& [holder, left, place] = *refusal.held;
    shown.holder = Holder{holder.owner, holder.token, left};
  }
  for (const auto& [node, failure] : refusal.failures) {
    shown.failed.push_back({store.names().at(node), failure.detail});
  }
  shown.denied = core::majority_denies_access(refusal.failures, store.names().size());
  if (runtime::speaks_of_record(refusal)) {
    shown.not_open = store.not_open_text(refusal, runtime::Patience::leaves, std::nullopt).why;
  }
  const auto& record = refusal.record.read;
  if (record && !record->open && record->terms == store.terms()) {
    const auto left = runtime::quarantine_left(*record, runtime::wall_now_ms());
    shown.opens_in = std::chrono::ceil<std::chrono::milliseconds>(left.if_waited.value_or(left.at_most));
  }
  return shown;
}

}  // namespace

Refusal still_stopping(const std::string& what, const std::stop_token& give_up) {
  return {Code::cancelled, what + (give_up.stop_requested()
                                       ? " is still being stopped: the wait for it was given up"
                                       : " is being stopped, once its work or handler that asks for it has "
                                         "returned")};
}

core::Refusal diagnosed(core::Refusal refusal, const Context& context) {
  // Whoever has given up waits no longer, not even for a diagnosis.
  if (context.diagnose && refusal.code != core::RefusalCode::cancelled) {
    refusal.failures = context.store->diagnosed(std::move(refusal.failures));
  }
  return refusal;
}

Refusal refusal(core::Refusal refusal, const std::string& name, const Context& context) {
  refusal = diagnosed(std::move(refusal), context);
  Refusal shown = fields_of(refusal, context);
  shown.message = shown.code == Code::closed ? name + " was not acquired: the client is closed"
                                             : runtime::refusal_text(refusal, name, *context.store);
  return shown;
}

Refusal waiting(const core::Refusal& why, const std::string& name, const Context& context) {
  Refusal shown = fields_of(why, context);
  shown.message = runtime::waiting_text(why, name, *context.store);
  return shown;
}

Refusal hindered(core::Refusal why, const std::string& name, const Context& context) {
  why = diagnosed(std::move(why), context);
  Refusal shown = fields_of(why, context);
  shown.message = shown.denied ? runtime::refusal_text(why, name, *context.store)
                               : runtime::waiting_text(why, name, *context.store);
  return shown;
}

}  // namespace tenure::detail
