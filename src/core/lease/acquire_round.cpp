#include "core/lease/acquire_round.hpp"

#include <algorithm>
#include <utility>

namespace tenure::core {

namespace {

// A node that knows of nobody. Others may say more: that they belong to another set, or when they open.
bool says_little(const FoundRecord& found) {
  return found.absent() || (found.read && !found.read->open && found.read->unknown());
}

}  // namespace

AcquireRound::AcquireRound(std::size_t nodes, const Timing& timing)
    : timing_(timing), ballot_(nodes), answers_(nodes) {}

void AcquireRound::start(AcquireRequest request, const std::vector<bool>& listening, Time now, Outbox& out) {
  sent_ = now;
  win_.sent = now;
  for (NodeIndex node = 0; node < answers_.size(); ++node) {
    const bool last = node + 1 == answers_.size();
    AcquireRequest to_node = last ? std::move(request) : request;  // NOLINT(bugprone-use-after-move)
    if (!listening.at(node)) to_node.ticket.reset();
    const RequestId id = out.send(node, std::move(to_node), timing_.node_timeout);
    answers_[node] = {.id = id, .waiting = true, .may_hold = true};
  }
}

std::optional<RoundResult> AcquireRound::on_reply(NodeIndex node, const Reply& reply, Time now) {
  Answer& answer = answers_.at(node);
  answer.waiting = false;
  if (const auto* granted = std::get_if<Granted>(&reply)) {
    // What they minted counts, not what was proposed to them: whoever repeats a grant gets the number of before.
    win_.agreed = win_.nodes.empty() || (win_.agreed && granted->token == win_.token);
    win_.token = std::max(win_.token, granted->token);
    win_.nodes.push_back(node);
    ballot_.on_vote(node, true);
  } else if (const auto* held = std::get_if<Held>(&reply)) {
    answer.may_hold = false;
    // Who has the largest token is the likeliest owner: a name of which others hold a few nodes.
    if (!refusal_.held || held->holder.token > refusal_.held->holder.token) refusal_.held = *held;
    held_.push_back(*held);
    ballot_.on_vote(node, false);
  } else if (const auto* closed = std::get_if<NotOpen>(&reply)) {
    answer.may_hold = false;
    refusal_.closed.push_back(node);
    if (says_little(refusal_.record)) refusal_.record = closed->record;
    ballot_.on_vote(node, false);
  } else if (const auto* failure = std::get_if<Failure>(&reply)) {
    on_failure(node, *failure);
  } else {
    on_failure(node, misfit);
  }
  return result(now);
}

std::optional<RoundResult> AcquireRound::on_timer(Time now, Outbox& out) {
  if (now < ends_at()) return std::nullopt;
  for (NodeIndex node = 0; node < answers_.size(); ++node) {
    Answer& answer = answers_[node];
    if (!answer.waiting) continue;
    answer.waiting = false;
    out.drop(node, answer.id);
    on_failure(node, silence);
  }
  return result(now);
}

std::vector<NodeIndex> AcquireRound::abandon(Outbox& out) {
  std::vector<NodeIndex> silent;
  for (NodeIndex node = 0; node < answers_.size(); ++node) {
    if (!answers_[node].waiting) continue;
    out.forget(answers_[node].id);
    answers_[node].waiting = false;
    silent.push_back(node);
  }
  return silent;
}

std::vector<Unanswered> AcquireRound::take_unanswered() {
  std::vector<Unanswered> unanswered;
  for (NodeIndex node = 0; node < answers_.size(); ++node) {
    if (std::exchange(answers_[node].waiting, false)) unanswered.push_back({node, answers_[node].id});
  }
  return unanswered;
}

void AcquireRound::on_failure(NodeIndex node, const Failure& failure) {
  answers_.at(node).may_hold = failure.applied == Applied::perhaps;
  refusal_.failures.push_back({node, failure});
  ballot_.on_vote(node, false);
}

std::optional<RoundResult> AcquireRound::result(Time now) const {
  switch (ballot_.verdict()) {
    case Verdict::open:
      return std::nullopt;
    case Verdict::won:
      // Granted too late to be of use: the work would be told to end before it began (T1).
      if (now >= timing_.deadline(sent_) - timing_.grace) {
        Refusal late = refusal_;
        late.code = RefusalCode::too_slow;
        return late;
      }
      return win_;
    case Verdict::lost:
      break;
  }
  // Busy only where a majority would have answered it otherwise: the nodes that failed or abstain
  // come first, because waiting for a holder does not mend them.
  Refusal refusal = refusal_;
  const std::size_t spare = answers_.size() - ballot_.quorum();
  if (refusal.failures.size() > spare) {
    refusal.code = RefusalCode::no_quorum;
  } else if (refusal.failures.size() + refusal.closed.size() > spare) {
    refusal.code = RefusalCode::not_open;
  } else {
    refusal.code = RefusalCode::held;
  }
  return refusal;
}

}  // namespace tenure::core
