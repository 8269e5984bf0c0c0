#include "core/lease/acquisition.hpp"

#include <algorithm>

#include "core/action.hpp"
#include "core/base/overload.hpp"
#include "core/base/text.hpp"
#include "core/lease/access.hpp"
#include "core/lease/record.hpp"

namespace tenure::core {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// After a first node has called, the others are about to: a release goes to all at once.
constexpr Duration calls_come_together = milliseconds(10);

// When a turn comes that nobody has announced.
constexpr Time never = Time::max();

// What a node gives whose clock has jumped: it may have taken it from somebody who still holds it.
Reply jumped(Duration left) {
  return Failure{Applied::perhaps, FailureCode::clock,
                 "its clock has jumped, so that its grants do not count for another " +
                     to_text(std::chrono::ceil<seconds>(left))};
}

// Does a majority of the nodes show that owner?
bool owns_majority(const std::string& owner, const std::vector<Held>& answers, std::size_t nodes) {
  const auto shows = [&](const Held& it) { return it.holder.owner == owner; };
  return static_cast<std::size_t>(std::ranges::count_if(answers, shows)) >= quorum_of(nodes);
}

}  // namespace

Acquisition::Acquisition(Context context, Wish wish, Random& random)
    : context_(context), wish_(std::move(wish)), grant_(context.owner, random.next()) {}

void Acquisition::start(Time now, Outbox& out) {
  // A single try ends with its round, and a wait that outlasts the clock is one without an end.
  if (!give_up_at_ && wish_.wait_max && *wish_.wait_max != Duration::zero() &&
      *wish_.wait_max < Time::max() - now) {
    give_up_at_ = now + *wish_.wait_max;
  }
  last_sent_ = now;
  if (woken_by_.any()) last_called_ = now;
  woken_by_.reset();
  // A turn that is still to come is not forgotten because of a round before it.
  for (Time& turn : turns_) {
    if (turn > now) continue;
    turn = never;
    last_told_ = now;
  }
  newly_subscribed_ = false;
  if (queued_ == Queued::present) queued_ = Queued::past;
  for (NodeIndex node = 0; node < nodes(); ++node) {
    ticketed_[node] = ticket_.has_value() && context_.subscriptions.nodes()[node];
    if (ticketed_[node]) queued_ = context_.subscriptions.reach_majority() ? Queued::present : Queued::past;
  }
  auto& round = phase_.emplace<AcquireRound>(nodes(), wish_.timing);
  AcquireRequest request{wish_.key, grant_, wish_.timing.ttl, ticket_, context_.proposer.propose(now)};
  round.start(std::move(request), context_.subscriptions.nodes(), now, out);
}

std::optional<Acquisition::End> Acquisition::on_reply(NodeIndex node, const Reply& reply, Time now,
                                                      Random& random, Outbox& out) {
  must(!pauses(), "a reply belongs to a round");
  std::optional<RoundResult> result;
  if (auto* confirm = std::get_if<ConfirmRound>(&phase_)) {
    result = confirm->on_reply(node, reply, now);
  } else {
    const auto distrusted = context_.clocks.distrusted_until({node, context_.part}, now);
    const bool granted = std::holds_alternative<Granted>(reply);
    const Reply& counted = granted && distrusted ? jumped(*distrusted - now) : reply;
    result = std::get<AcquireRound>(phase_).on_reply(node, counted, now);
  }
  return result ? on_round_end(*result, now, random, out) : std::nullopt;
}

std::optional<Acquisition::End> Acquisition::on_timer(Time now, Random& random, Outbox& out) {
  // The wait ends on time, also in the middle of a round; a grant that comes later is released
  // and never reads as success (T16).
  if (give_up_at_ && now >= *give_up_at_) return cancel(RefusalCode::waited, out);
  if (pauses()) {
    if (now >= next_look()) start(now, out);
    return std::nullopt;
  }
  auto* confirm = std::get_if<ConfirmRound>(&phase_);
  const auto result =
      confirm != nullptr ? confirm->on_timer(now, out) : std::get<AcquireRound>(phase_).on_timer(now, out);
  return result ? on_round_end(*result, now, random, out) : std::nullopt;
}

Acquisition::End Acquisition::cancel(RefusalCode why, Outbox& out) {
  Refusal refusal = last_;
  if (auto* confirm = std::get_if<ConfirmRound>(&phase_)) confirm->abandon(out);
  if (auto* round = std::get_if<AcquireRound>(&phase_)) {
    const auto silent = round->abandon(out);
    // Who waited in vain for a node that never said anything should hear of it.
    if (why == RefusalCode::waited && !answered_) {
      for (const NodeIndex node : silent) refusal.failures.push_back({node, silence});
    }
    note_loose_ends(*round);
  }
  refusal.code = why;
  return refused(std::move(refusal));
}

void Acquisition::on_wake_up(NodeIndex node, Duration after, Time now) {
  if (queued_ == Queued::none) return;
  if (after > Duration::zero()) {
    turns_.resize(nodes(), never);
    turns_.at(node) = std::min(turns_.at(node), now + after);
    return;
  }
  woken_by_.set(node);
  // A call may come before the answer that says "held": it is remembered until the round ends (T26).
  if (!pauses()) return;
  if (const auto look = look_after_calls(now)) look_by(*look);
}

// What came to nothing is not believed again at once: it may be forged.
Time Acquisition::not_too_soon(Time look, Time last) const {
  // Shorter than a turn in the queue, whatever delay between tries the caller wishes for.
  const Duration pause = std::min<Duration>(wish_.retry_delay / 2, milliseconds(100));
  return last == long_ago ? look : std::max(look, last + pause);
}

// When to look, after the calls that have come since the last round began.
std::optional<Time> Acquisition::look_after_calls(Time now) const {
  const std::size_t calls = woken_by_.count();
  if (calls == 0) return std::nullopt;
  const bool enough = calls >= quorum_of(nodes());
  return not_too_soon(enough ? now : now + calls_come_together, last_called_);
}

// When it is our turn on a majority. Places may differ between the queues of nodes, and whoever comes when only the
// first of them would give it the name splits the vote. But a minority that has announced a turn is not ignored.
Time Acquisition::announced_turn() const {
  if (std::ranges::all_of(turns_, [](Time it) { return it == never; })) return never;
  std::vector<Time> turns = turns_;
  std::ranges::sort(turns);
  const Time majority = turns[quorum_of(turns.size()) - 1];
  return not_too_soon(majority == never ? turns.front() + calls_come_together : majority, last_told_);
}

void Acquisition::on_listening(bool listening, Time now) {
  if (!ticket_) return;
  if (listening) {
    // What was said meanwhile is lost, and so may be the place in the queue.
    newly_subscribed_ = true;
    if (pauses()) pause_until(now);
  } else if (!context_.subscriptions.reach_majority()) {
    if (queued_ == Queued::present) queued_ = Queued::past;
    if (pauses()) look_by(now + wish_.retry_delay);
  }
}

void Acquisition::on_opened(Time now) {
  if (pauses() && last_.code == RefusalCode::not_open) pause_until(now);
}

Time Acquisition::wake() const {
  const Time next = std::visit(Overload{[this](const Pause&) { return next_look(); },
                                        [](const auto& round) { return round.ends_at(); }},
                               phase_);
  return give_up_at_ ? std::min(next, *give_up_at_) : next;
}

std::optional<Acquisition::End> Acquisition::on_round_end(const RoundResult& result, Time now, Random& random,
                                                          Outbox& out) {
  const auto* win = std::get_if<Win>(&result);
  if (auto* confirm = std::get_if<ConfirmRound>(&phase_)) {
    confirm->abandon(out);
    phase_ = Pause{};
    if (win != nullptr) return won(*win);
    return on_refusal(std::get<Refusal>(result), Met::others, now, random, out);
  }
  auto& round = std::get<AcquireRound>(phase_);
  if (win != nullptr) context_.reached = true;
  if (win != nullptr && win->agreed) {
    End end = won(*win);
    end.unanswered = round.take_unanswered();
    return end;
  }
  const auto silent = round.abandon(out);
  const Met met = round.held().empty() ? Met::alone : round.granted() > 0 ? Met::split : Met::others;
  majority_gave_ = majority_gave_ || win != nullptr || nodes() == 1;
  answered_ = answered_ || win != nullptr;
  held_ = round.held();
  note_loose_ends(round);
  if (win != nullptr) {
    ConfirmRound confirm(*win, round.failures(), nodes(), wish_.timing);
    phase_.emplace<ConfirmRound>(std::move(confirm)).start(wish_.key, grant_, silent, now, out);
    return std::nullopt;
  }
  phase_ = Pause{};
  return on_refusal(std::get<Refusal>(result), met, now, random, out);
}

std::optional<Acquisition::End> Acquisition::on_refusal(Refusal refusal, Met met, Time now, Random& random,
                                                        Outbox& out) {
  last_ = std::move(refusal);
  const auto jumped = [](const NodeFailure& it) { return it.failure.code == FailureCode::clock; };
  const bool heard = last_.code == RefusalCode::held || last_.code == RefusalCode::too_slow ||
                     std::ranges::any_of(last_.failures, jumped);
  answered_ = answered_ || heard;
  // Nodes that are busy for a moment, or whose part is on its way, have been found.
  const auto busy = [](const NodeFailure& it) { return it.failure.code == FailureCode::busy; };
  const bool found =
      static_cast<std::size_t>(std::ranges::count_if(last_.failures, busy)) >= quorum_of(nodes());
  context_.reached = context_.reached || heard || found || last_.code == RefusalCode::not_open;
  failures_ = heard ? 0 : failures_ + 1;
  if (!reconnected_ && only_closed(last_)) {
    // A connection that broke says nothing about the node behind it: it may have been closed long ago.
    reconnected_ = true;
    start(now, out);
    return std::nullopt;
  }
  if (!will_retry(last_)) return refused(last_);
  if (wish_.retries && retried_++ >= *wish_.retries) return refused(last_);
  if (met != Met::alone && may_hold_.any()) {
    discard(majority_gave_);
    grant_ = Grant(context_.owner, random.next());
  }
  wait_for(last_, met, now, random, out);
  return std::nullopt;
}

void Acquisition::wait_for(const Refusal& refusal, Met met, Time now, Random& random, Outbox& out) {
  const bool split = met == Met::split;
  if (told_waiting_.note(refusal)) out.tell(Waiting{context_.id, refusal});
  if (refusal.held && !ticket_ && !wish_.retries) {
    ticket_ = Grant(context_.owner, random.next());
    out.tell(Listen{});
    // Who listens already takes its place at once; not after a split vote, unless there is an owner to wait for: it may be
    // giving the name back this very moment, one node after the other, and calls only those who have a place.
    if (context_.subscriptions.reach_majority() &&
        (!split || owns_majority(refusal.held->holder.owner, held_, nodes()))) {
      pause_until(now);
      return;
    }
  }
  // Whoever lost a split vote goes again after a while of its own, and so does whoever stands in no queue.
  const auto free = split || queued_ != Queued::present ? std::nullopt : until_free(random);
  pause_until(now + free.value_or(pause_after(refusal, random)));
  if (newly_subscribed_ && context_.subscriptions.reach_majority() && !split) look_by(now);
  if (const auto look = look_after_calls(now)) look_by(*look);
}

bool Acquisition::only_closed(const Refusal& refusal) const {
  return refusal.code == RefusalCode::no_quorum && !refusal.failures.empty() &&
         std::ranges::all_of(refusal.failures,
                             [](const NodeFailure& it) { return it.failure.code == FailureCode::closed; });
}

bool Acquisition::will_retry(const Refusal& refusal) const {
  if (wish_.wait_max == Duration::zero()) return false;
  if (refusal.code == RefusalCode::held || refusal.code == RefusalCode::too_slow) return true;
  if (refusal.code == RefusalCode::not_open) {
    // A quarantine ends by itself; another cap or set does not.
    const auto& record = refusal.record.read;
    return !record || record->terms == context_.terms;
  }
  if (refusal.code != RefusalCode::no_quorum || majority_denies_access(refusal.failures, nodes())) {
    return false;
  }
  // That nodes have never answered the client is told at once to whoever would wait for ever: a wrong address should not
  // look like a long wait. Whoever waits for a while, or counts tries, hears of it at the end.
  return answered_ || (context_.reached && !wish_.asks_again) || wish_.wait_max || wish_.retries;
}

Duration Acquisition::pause_after(const Refusal& refusal, Random& random) const {
  const bool closed = refusal.code == RefusalCode::no_quorum || refusal.code == RefusalCode::not_open;
  if (closed && !wish_.retries) {
    const Duration longest =
        std::min<Duration>(milliseconds(50) * (1U << std::min(failures_, 5U)), seconds(1));
    return random.between(longest / 2, longest);
  }
  const Duration usual = random.between(wish_.retry_delay / 2, wish_.retry_delay * 3 / 2);
  if (!refusal.held || !refusal.held->left) return usual;
  // Compared in milliseconds: a key set by hand may last longer than nanoseconds can count.
  if (*refusal.held->left >= std::chrono::floor<Ttl>(usual)) return usual;
  // The holder may have died: look again just after its time has run out, not later.
  return std::min<Duration>(usual, *refusal.held->left + random.between(milliseconds(1), milliseconds(5)));
}

// In the queue there is nothing to do until the holder gives it back, or its time has run out on enough nodes;
// then one waiter after the other looks. Where the name is kept for waiters, the time left is that until our own
// turn. Nothing when it is not clear that anybody holds it.
std::optional<Duration> Acquisition::until_free(Random& random) const {
  if (!last_.held) return std::nullopt;
  const std::size_t quorum = quorum_of(nodes());
  std::vector<Ttl> left;
  int ahead = 20;
  for (const Held& held : held_) {
    if (held.holder.owner != last_.held->holder.owner || !held.left) continue;
    left.push_back(std::min<Ttl>(*held.left, std::chrono::duration_cast<Ttl>(ttl_cap_max)));
    ahead = std::min(ahead, held.ahead.value_or(ahead));
  }
  if (left.size() < quorum) return std::nullopt;
  // A majority is free once all but a minority have run out.
  std::ranges::sort(left);
  const Ttl longest = left[quorum - 1];
  if (last_.held->holder.waits) ahead = 0;
  return longest + random.between(milliseconds(1), milliseconds(5)) + milliseconds(10) * ahead;
}

void Acquisition::note_loose_ends(const AcquireRound& round) {
  for (NodeIndex node = 0; node < nodes(); ++node) {
    if (round.may_hold(node)) may_hold_[node] = true;
  }
}

void Acquisition::discard(bool wake) {
  Discarded discarded{grant_, std::nullopt, {}, wake, wish_.timing.gone_at(last_sent_)};
  for (NodeIndex node = 0; node < nodes(); ++node) {
    if (may_hold_[node]) discarded.nodes.push_back(node);
  }
  may_hold_.reset();
  majority_gave_ = false;
  discarded_ = std::move(discarded);
}

// Where it was not granted, or came without its ticket, it leaves the queue.
Acquisition::End Acquisition::won(const Win& win) {
  if (queued_ != Queued::none) {
    Discarded place{*ticket_, ticket_, {}, true, last_sent_ + wish_.timing.ttl};
    for (NodeIndex node = 0; node < nodes(); ++node) {
      const bool left_it = ticketed_[node] && std::ranges::find(win.nodes, node) != win.nodes.end();
      if (!left_it) place.nodes.push_back(node);
    }
    if (!place.nodes.empty()) discarded_ = std::move(place);
  }
  return {win, {}, {}};
}

Acquisition::End Acquisition::refused(Refusal refusal) {
  phase_ = Pause{};
  discard(true);
  if (queued_ != Queued::none) {
    discarded_->ticket = ticket_;
    discarded_->nodes = all_nodes(nodes());
  }
  if (discarded_->nodes.empty()) discarded_.reset();
  return {std::nullopt, std::move(refusal), {}};
}

}  // namespace tenure::core
