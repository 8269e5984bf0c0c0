#include "core/lease/confirm_round.hpp"

#include <algorithm>
#include <utility>

namespace tenure::core {

ConfirmRound::ConfirmRound(Win win, std::vector<NodeFailure> failures, std::size_t nodes,
                           const Timing& timing)
    : timing_(timing), win_(std::move(win)), ballot_(nodes), waiting_(nodes) {
  refusal_.failures = std::move(failures);
}

void ConfirmRound::start(const std::string& key, const Grant& grant, const std::vector<NodeIndex>& silent,
                         Time now, Outbox& out) {
  sent_ = now;
  std::vector<NodeIndex> asked = std::exchange(win_.nodes, {});
  asked.insert(asked.end(), silent.begin(), silent.end());
  for (NodeIndex node = 0; node < waiting_.size(); ++node) {
    if (std::ranges::find(asked, node) == asked.end()) {
      ballot_.on_vote(node, false);
      continue;
    }
    waiting_[node] = out.send(node, ConfirmRequest{key, grant, win_.token}, timing_.node_timeout);
  }
}

std::optional<RoundResult> ConfirmRound::on_reply(NodeIndex node, const Reply& reply, Time now) {
  waiting_.at(node).reset();
  const auto* answers = std::get_if<KeyAnswers>(&reply);
  const bool confirmed = answers != nullptr && answers->size() == 1 && answers->front() == KeyAnswer::done;
  if (confirmed) {
    win_.nodes.push_back(node);
  } else if (const auto* failure = std::get_if<Failure>(&reply)) {
    refusal_.failures.push_back({node, *failure});
  } else if (answers == nullptr || answers->size() != 1) {
    refusal_.failures.push_back({node, misfit});
  }
  ballot_.on_vote(node, confirmed);
  return result(now);
}

std::optional<RoundResult> ConfirmRound::on_timer(Time now, Outbox& out) {
  if (now < ends_at()) return std::nullopt;
  for (NodeIndex node = 0; node < waiting_.size(); ++node) {
    if (!waiting_[node]) continue;
    out.drop(node, *std::exchange(waiting_[node], std::nullopt));
    refusal_.failures.push_back({node, silence});
    ballot_.on_vote(node, false);
  }
  return result(now);
}

void ConfirmRound::abandon(Outbox& out) {
  for (auto& waiting : waiting_) {
    if (waiting) out.forget(*std::exchange(waiting, std::nullopt));
  }
}

std::optional<RoundResult> ConfirmRound::result(Time now) const {
  if (ballot_.verdict() == Verdict::open) return std::nullopt;
  // The lease counts from the first round, which armed it (T1).
  const bool late = now >= timing_.deadline(win_.sent) - timing_.grace;
  if (ballot_.verdict() == Verdict::won && !late) return win_;
  Refusal refusal = refusal_;
  // What a majority gave and did not keep until now, it gave for too short a time.
  const bool failed = refusal.failures.size() > waiting_.size() - ballot_.quorum();
  refusal.code = failed && !late ? RefusalCode::no_quorum : RefusalCode::too_slow;
  return refusal;
}

}  // namespace tenure::core
