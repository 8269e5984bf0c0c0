#include "api/context.hpp"
#include "core/lease/access.hpp"
#include "core/lease/record.hpp"
#include "redis/text/not_open_text.hpp"
#include "redis/text/refusal_text.hpp"
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

}  // namespace

Refusal refusal(const core::Refusal& refusal, const std::string& name, const Context& context) {
  Refusal shown{code_of(refusal.code, context), {}};
  shown.message = shown.code == Code::closed ? name + " was not acquired: the client is closed"
                                             : redis::refusal_text(refusal, name, context.nodes);
  if (refusal.held) {
    const auto& [holder, left, place] = *refusal.held;
    shown.holder = Refusal::Holder{holder.owner, holder.token, left};
  }
  for (const auto& [node, failure] : refusal.failures) {
    shown.failed.push_back({redis::to_text(context.nodes.addresses.at(node)), failure.detail});
  }
  shown.denied = core::majority_denies_access(refusal.failures, context.nodes.addresses.size());
  const auto& record = refusal.record.read;
  if (record && !record->open && record->terms == context.nodes.keyspace.terms()) {
    const auto left = redis::quarantine_left(*record, runtime::wall_now_ms());
    shown.opens_in = std::chrono::ceil<std::chrono::milliseconds>(left.if_waited.value_or(left.at_most));
  }
  return shown;
}

}  // namespace tenure::detail
