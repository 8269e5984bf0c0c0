// The life of one session here: it is asked for, held, drained and given back.
#include <algorithm>
#include <utility>

#include "core/action.hpp"
#include "core/fleet/fleet.hpp"

namespace tenure::core {

namespace {

using std::chrono::milliseconds;

// More would wait longer for a node's answer than it takes to give up on it.
constexpr std::size_t unanswered_max = 256;

EndReason end_reason(LossReason reason) {
  switch (reason) {
    case LossReason::missing:
      return EndReason::missing;
    case LossReason::taken:
      return EndReason::taken;
    case LossReason::closed:
      return EndReason::closed;
    case LossReason::not_renewed:
    case LossReason::over:
    case LossReason::stepped_down:
    case LossReason::stopped:
      break;
  }
  return EndReason::not_renewed;
}

}  // namespace

void Fleet::take(const std::string& session, Time now, Actions& actions) {
  const auto it = sessions_.try_emplace(session, Session{session_hash(session)}).first;
  if (it->second.stage > Stage::asking || it->second.hand || phase_ != Phase::sharing) {
    actions.push_back(SessionRefused{session, {.code = RefusalCode::cancelled}});
    return;
  }
  it->second.hand = tenant_.acquire({key_of(session), plan_.timing}, now, actions);
  asks_.emplace(*it->second.hand, it);
}

bool Fleet::give_back(const std::string& session, Time now, Actions& actions) {
  const auto it = sessions_.find(session);
  if (it == sessions_.end() || it->second.stage != Stage::ours) return false;
  it->second.rests_until = now + plan_.timing.renew;
  drain(it, EndReason::given_back, Time::max(), now, actions);
  return true;
}

void Fleet::want(At it) {
  it->second.stage = Stage::wanted;
  wanted_.push_back(it);
}

// Some at a time: what waits in a connection for longer than the node's timeout has failed.
void Fleet::ask_wanted(Time now, Actions& actions) {
  if (now < backed_off_until_ && !wanted_.empty()) {
    act_at_ = sooner(act_at_, backed_off_until_);
    return;
  }
  while (unanswered_ < unanswered_max && !wanted_.empty()) {
    const At it = wanted_.front();
    wanted_.pop_front();
    Session& session = it->second;
    if (session.stage != Stage::wanted) continue;  // withdrawn since
    session.stage = Stage::asking;
    session.answered = false;
    unanswered_ += 1;
    Wish wish{key_of(it->first), plan_.timing};
    wish.wait_max.reset();
    wish.asks_again = true;
    session.ask = tenant_.acquire(std::move(wish), now, actions);
    asks_.emplace(*session.ask, it);
  }
}

void Fleet::withdraw(Session& session, Time now, Actions& actions) {
  if (session.stage == Stage::wanted) session.stage = Stage::apart;
  // Refused follows.
  if (session.stage == Stage::asking) tenant_.cancel(*session.ask, now, actions);
}

void Fleet::note_answer(Session& session) {
  if (std::exchange(session.answered, true)) return;
  unanswered_ -= 1;
}

void Fleet::on_acquired(At it, const Acquired& acquired, Time now, Actions& actions) {
  Session& session = it->second;
  const bool by_hand = session.hand == acquired.acquire;
  asks_.erase(acquired.acquire);
  if (by_hand) {
    session.hand.reset();
    // Who stood in the queue as well has what it waited for.
    if (session.stage == Stage::asking) tenant_.cancel(*session.ask, now, actions);
  } else {
    note_answer(session);
    session.ask.reset();
  }
  const bool unwanted = phase_ != Phase::sharing || (!session.shared && !by_hand);
  if (unwanted || session.stage > Stage::asking) {  // by hand, when we leave or have it already
    if (by_hand) actions.push_back(SessionRefused{it->first, {.code = RefusalCode::cancelled}});
    if (session.stage == Stage::asking && !by_hand) session.stage = Stage::apart;
    tenant_.forget(acquired.lease, now, actions);
    end_if_done(actions);
    return;
  }
  backoff_ = {};
  note_open(actions);
  session.stage = Stage::ours;
  session.lease = acquired.lease;
  // Taken out of turn, or by hand: by the plan it would have to be given away again.
  if (session.shared && session.placed != self_) {
    quota_ = unlimited;
    refresh_by(now);
  }
  session.out_of_turn = false;
  session.free_since.reset();
  leases_.emplace(acquired.lease, it);
  if (session.shared) own_.add(session.hash);
  note_own(now);
  actions.push_back(SessionTaken{it->first, acquired});
  ask_wanted(now, actions);
  if (unanswered_ == 0) act_soon(now);
}

void Fleet::on_refused(At it, const Refused& refused, Time now, Actions& actions) {
  Session& session = it->second;
  asks_.erase(refused.acquire);
  if (session.hand == refused.acquire) {
    session.hand.reset();
    actions.push_back(SessionRefused{it->first, refused.refusal});
  } else {
    note_answer(session);
    session.ask.reset();
    if (session.stage == Stage::asking) session.stage = Stage::apart;
    loosen(it);
    if (refused.refusal.code != RefusalCode::cancelled) back_off(now);
    note_not_open(refused.refusal, actions);
    ask_wanted(now, actions);
    act_soon(now);
  }
  end_if_done(actions);
}

// Nodes that give no lease for one session give none for the others: it is said once for all of them.
void Fleet::note_not_open(const Refusal& refusal, Actions& actions) {
  if (refusal.code != RefusalCode::not_open || std::exchange(not_open_, true)) return;
  actions.push_back(FleetNotOpen{refusal, tenant_.open_by(refusal.closed)});
}

void Fleet::note_open(Actions& actions) {
  if (std::exchange(not_open_, false)) actions.push_back(FleetOpen{});
}

// A store that refuses one refuses all: they are asked for again together, less and less often.
void Fleet::back_off(Time now) {
  if (now < backed_off_until_) return;
  backoff_ = std::clamp<Duration>(2 * backoff_, milliseconds(100), std::chrono::seconds(2));
  backed_off_until_ = now + random_.between(backoff_ / 2, backoff_);
}

void Fleet::on_lost(At it, const Lost& lost, Time now, Actions& actions) {
  if (it->second.stage == Stage::ours) drain(it, end_reason(lost.reason), lost.deadline, now, actions);
}

// Renewed no more from here on: the deadline stands, whatever the work does.
void Fleet::drain(At it, EndReason reason, Time deadline, Time now, Actions& actions) {
  Session& session = it->second;
  const auto held_until = tenant_.deadline_of(session.lease);
  session.deadline = std::min(held_until.value_or(deadline), deadline);
  tenant_.give_up(session.lease);
  session.stage = Stage::draining;
  session.reason = reason;
  if (session.shared) own_.remove(session.hash);
  note_own(now);
  drains_.emplace(session.deadline, session.lease);
  actions.push_back(SessionEnding{it->first, session.lease, reason, session.deadline});
}

void Fleet::drained(LeaseId lease, Time now, Actions& actions) {
  const auto found = leases_.find(lease);
  if (found == leases_.end() || found->second->second.stage != Stage::draining) return;
  Session& session = found->second->second;
  drains_.erase({session.deadline, lease});
  session.stage = Stage::releasing;
  tenant_.release(lease, now, actions);
}

void Fleet::end(At it, Time now, Actions& actions) {
  Session& session = it->second;
  drains_.erase({session.deadline, session.lease});
  leases_.erase(session.lease);
  session.stage = Stage::apart;
  session.owner = nobody;
  session.free_since = now;
  loosen(it);
  actions.push_back(SessionEnded{it->first, key_of(it->first), session.lease, session.reason});
  act_soon(now);
  end_if_done(actions);
}

}  // namespace tenure::core
