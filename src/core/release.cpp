#include "core/release.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace tenure::core {

Release::Release(ReleaseRequest request, const std::vector<NodeIndex>& nodes, const Timing& timing,
                 std::optional<Time> try_until)
    : request_(std::move(request)), timing_(timing), try_until_(try_until) {
  must(!nodes.empty(), "a release has nodes to go to");
  for (const NodeIndex node : nodes) targets_.push_back({node});
}

void Release::start(Time now, Outbox& out) {
  sending_ = true;
  sent_ = now;
  failures_.clear();
  for (Target& target : targets_) {
    if (target.done) continue;
    target.id = out.send(target.node, request_, timing_.node_timeout);
    target.waiting = true;
  }
}

std::optional<Release::End> Release::on_reply(NodeIndex node, const Reply& reply, Time now, Random& random,
                                              Outbox& out) {
  const auto target = std::ranges::find(targets_, node, &Target::node);
  must(target != targets_.end() && target->waiting, "a reply belongs to a release that waits for it");
  // A connection that broke may have been closed long ago: once more over a new one, in the same time.
  const auto* failure = std::get_if<Failure>(&reply);
  if (failure != nullptr && failure->code == FailureCode::closed && !target->reconnected) {
    target->reconnected = true;
    target->id = out.send(node, request_, timing_.node_timeout);
    return std::nullopt;
  }
  on_answer(*target, reply);
  return end_of_attempt(now, random);
}

std::optional<Release::End> Release::on_timer(Time now, Random& random, Outbox& out) {
  if (!sending_) {
    if (now >= next_try_) start(now, out);
    return std::nullopt;
  }
  if (now < wake()) return std::nullopt;
  for (Target& target : targets_) {
    if (!target.waiting) continue;
    out.drop(target.node, target.id);
    on_answer(target, silence);
  }
  return end_of_attempt(now, random);
}

void Release::on_answer(Target& target, const Reply& reply) {
  target.waiting = false;
  const auto* answers = std::get_if<KeyAnswers>(&reply);
  if (answers != nullptr && answers->size() == 1) {
    target.done = true;
    answers_.push_back(answers->front());
    return;
  }
  const auto* failure = std::get_if<Failure>(&reply);
  failures_.push_back({target.node, failure != nullptr ? *failure : misfit});
}

std::optional<Release::End> Release::end_of_attempt(Time now, Random& random) {
  if (std::ranges::any_of(targets_, &Target::waiting)) return std::nullopt;
  sending_ = false;
  if (!failures_.empty() && try_until_ && now < *try_until_) {
    next_try_ = now + random.between(timing_.node_timeout / 2, timing_.node_timeout);
    return std::nullopt;
  }
  const auto any = [&](KeyAnswer answer) { return std::ranges::find(answers_, answer) != answers_.end(); };
  if (any(KeyAnswer::done)) return End{ReleaseOutcome::released, failures_};
  if (!failures_.empty()) return End{ReleaseOutcome::failed, failures_};
  return End{any(KeyAnswer::foreign) ? ReleaseOutcome::taken : ReleaseOutcome::expired, {}};
}

}  // namespace tenure::core
