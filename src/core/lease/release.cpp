#include "core/lease/release.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "core/nodes.hpp"

namespace tenure::core {

namespace {

// A node that is only slower than others answers sooner.
constexpr Duration rest_waits_max = std::chrono::milliseconds(100);

}  // namespace

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
  if (failure != nullptr && failure->code == FailureCode::closed && !target->reconnected &&
      now < sent_ + timing_.node_timeout) {
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
  if (enough_at_ && now < sent_ + timing_.node_timeout) {
    enough_at_.reset();
    try_until_ = timing_.gone_at(now);
    return End{ReleaseOutcome::released, failures_, true};
  }
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
  if (std::ranges::any_of(targets_, &Target::waiting)) {
    const bool enough = answers_.size() >= quorum_of(targets_.size()) && any(KeyAnswer::done);
    if (enough && !try_until_ && !enough_at_) enough_at_ = now + rest_waits_max;
    return std::nullopt;
  }
  sending_ = false;
  if (!failures_.empty() && try_until_ && now < *try_until_) {
    next_try_ = now + random.between(timing_.node_timeout / 2, timing_.node_timeout);
    return std::nullopt;
  }
  if (any(KeyAnswer::done)) return End{ReleaseOutcome::released, failures_};
  if (!failures_.empty()) return End{ReleaseOutcome::failed, failures_};
  return End{any(KeyAnswer::foreign) ? ReleaseOutcome::taken : ReleaseOutcome::expired, {}};
}

bool Release::any(KeyAnswer answer) const { return std::ranges::find(answers_, answer) != answers_.end(); }

Time Release::wake() const {
  if (!sending_) return next_try_;
  const Time last = sent_ + timing_.node_timeout;
  return enough_at_ ? std::min(last, *enough_at_) : last;
}

}  // namespace tenure::core
