#include "core/acquisition.hpp"

#include <algorithm>
#include <utility>

namespace tenure::core {

using std::chrono::milliseconds;
using std::chrono::seconds;

Acquisition::Acquisition(AcquireId id, Wish wish, Grant grant, std::size_t nodes)
    : id_(id), wish_(std::move(wish)), grant_(std::move(grant)), may_hold_(nodes, false) {}

void Acquisition::start(Time now, Outbox& out) {
  // A single try ends with its round, and a wait that outlasts the clock is one without an end.
  if (!give_up_at_ && wish_.wait_max && *wish_.wait_max != Duration::zero() &&
      *wish_.wait_max < Time::max() - now) {
    give_up_at_ = now + *wish_.wait_max;
  }
  last_sent_ = now;
  round_.emplace(may_hold_.size(), wish_.timing);
  round_->start(wish_.key, grant_, now, out);
}

std::optional<Acquisition::End> Acquisition::on_reply(NodeIndex node, const Reply& reply, Time now,
                                                      Random& random, Outbox& out) {
  must(round_.has_value(), "a reply belongs to a round");
  const auto result = round_->on_reply(node, reply, now);
  if (!result) return std::nullopt;
  return on_round_end(*result, now, random, out);
}

std::optional<Acquisition::End> Acquisition::on_timer(Time now, Random& random, Outbox& out) {
  // The wait ends on time, also in the middle of a round; a grant that comes later is released
  // and never reads as success (T16).
  if (give_up_at_ && now >= *give_up_at_) return cancel(RefusalCode::waited, out);
  if (round_) {
    const auto result = round_->on_timer(now, out);
    if (!result) return std::nullopt;
    return on_round_end(*result, now, random, out);
  }
  if (now >= next_round_) start(now, out);
  return std::nullopt;
}

Acquisition::End Acquisition::cancel(RefusalCode why, Outbox& out) {
  Refusal refusal = last_;
  if (round_) {
    const auto silent = round_->abandon(out);
    // Who waited in vain for a Redis that never said anything should hear of it.
    if (why == RefusalCode::waited && !answered_) {
      for (const NodeIndex node : silent) refusal.failures.push_back({node, silence});
    }
    note_loose_ends();
  }
  refusal.code = why;
  return refused(std::move(refusal));
}

Time Acquisition::wake() const {
  const Time next = round_ ? round_->ends_at() : next_round_;
  return give_up_at_ ? std::min(next, *give_up_at_) : next;
}

std::optional<Acquisition::End> Acquisition::on_round_end(const RoundResult& result, Time now, Random& random,
                                                          Outbox& out) {
  round_->abandon(out);
  if (const auto* win = std::get_if<Win>(&result)) return End{*win, {}, {}};
  note_loose_ends();
  last_ = std::get<Refusal>(result);
  const bool heard = last_.code == RefusalCode::held || last_.code == RefusalCode::too_slow;
  answered_ = answered_ || heard;
  failures_ = heard ? 0 : failures_ + 1;
  if (!reconnected_ && only_closed(last_)) {
    // A connection that broke says nothing about the Redis behind it: it may have been closed long ago.
    reconnected_ = true;
    start(now, out);
    return std::nullopt;
  }
  if (!will_retry(last_)) return refused(last_);
  if (last_.held && !told_waiting_) {
    told_waiting_ = true;
    out.tell(Waiting{id_, *last_.held});
  }
  next_round_ = now + pause_after(last_, random);
  return std::nullopt;
}

bool Acquisition::only_closed(const Refusal& refusal) const {
  return refusal.code == RefusalCode::no_quorum && !refusal.failures.empty() &&
         std::ranges::all_of(refusal.failures,
                             [](const NodeFailure& it) { return it.failure.code == FailureCode::closed; });
}

bool Acquisition::will_retry(const Refusal& refusal) const {
  if (wish_.wait_max == Duration::zero()) return false;
  if (refusal.code == RefusalCode::held || refusal.code == RefusalCode::too_slow) return true;
  // A Redis that never answered is told at once: a wrong address should not look like a long wait.
  // One that answered before is waited for.
  return refusal.code == RefusalCode::no_quorum && answered_;
}

Duration Acquisition::pause_after(const Refusal& refusal, Random& random) const {
  if (refusal.code == RefusalCode::no_quorum) {
    const Duration longest =
        std::min<Duration>(milliseconds(50) * (1U << std::min(failures_, 5U)), seconds(1));
    return random.between(longest / 2, longest);
  }
  const Duration usual = random.between(wish_.retry_delay / 2, wish_.retry_delay * 3 / 2);
  if (!refusal.held || refusal.held->left < Ttl::zero()) return usual;
  // Compared in milliseconds: a key set by hand may last longer than nanoseconds can count.
  if (refusal.held->left >= std::chrono::floor<Ttl>(usual)) return usual;
  // The holder may have died: look again just after its time has run out, not later.
  return std::min<Duration>(usual, refusal.held->left + random.between(milliseconds(1), milliseconds(5)));
}

void Acquisition::note_loose_ends() {
  for (NodeIndex node = 0; node < may_hold_.size(); ++node) {
    if (round_->may_hold(node)) may_hold_[node] = true;
  }
  round_.reset();
}

Acquisition::End Acquisition::refused(Refusal refusal) const {
  End end{std::nullopt, std::move(refusal), {}};
  for (NodeIndex node = 0; node < may_hold_.size(); ++node) {
    if (may_hold_[node]) end.clean_up.push_back(node);
  }
  return end;
}

}  // namespace tenure::core
