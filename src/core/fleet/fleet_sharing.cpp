// Who should have what, and what this instance does about it.
#include <algorithm>
#include <iterator>

#include "core/action.hpp"
#include "core/fleet/fleet.hpp"

namespace tenure::core {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Who has more than its share looks whether somebody waits for some of it, less and less often.
constexpr Duration pause_min = milliseconds(50);
constexpr Duration pause_max = seconds(1);
// Mostly it looks only at what it should give. Others may see that differently: every so often, at all that it has.
constexpr unsigned looks_at_all_every = 4;
// Readings that may fail before it is believed that they always do.
constexpr unsigned blind_max = 3;
// What others should take is looked through no more often than this, and less often where it is much.
constexpr Duration watch_pause = milliseconds(50);

}  // namespace

MemberIndex Fleet::seat_of(const std::string& owner) const {
  const auto it = std::ranges::lower_bound(members_, owner, {}, &Member::id);
  if (it == members_.end() || it->id != owner) return nobody;
  return static_cast<MemberIndex>(it - members_.begin());
}

MemberIndex Fleet::seat_of(const Session& session) const {
  switch (session.stage) {
    case Stage::ours:
      return self_;
    case Stage::draining:
    case Stage::releasing:
      return session.reason == EndReason::rebalance && session.placed != self_ ? session.placed : nobody;
    case Stage::apart:
    case Stage::wanted:
    case Stage::asking:
      break;
  }
  return session.owner;
}

bool Fleet::is_settled(const Session& session) const {
  if (!session.shared) return true;
  if (session.placed == nobody) return false;
  if (session.stage == Stage::ours) return session.placed == self_;
  return session.stage == Stage::apart && session.placed != self_ && session.owner == session.placed;
}

bool Fleet::settled() const {
  const auto is_there = [this](const At it) { return is_settled(it->second); };
  return !anew_ && !planned_.empty() && std::ranges::all_of(loose_, is_there) &&
         std::ranges::all_of(watched_, is_there);
}

// What is neither shared, nor ours, nor asked for.
void Fleet::forget_unshared() {
  if (scan_.under_way()) return;
  std::erase_if(wanted_, [](const At it) { return it->second.stage != Stage::wanted; });
  std::erase_if(sessions_, [](const auto& item) {
    const Session& session = item.second;
    return !session.shared && session.stage == Stage::apart && !session.hand;
  });
}

void Fleet::place(Time now, Actions& actions) {
  refresh_ = Refresh::none;
  if (blind()) {
    // However often it is tried some lists cannot be read, though beats are answered: then leases tell.
    if (last_seen_ >= refresh_began_ && ++blind_ >= blind_max) claims_.give_lists_up();
    return refresh_by(now + next_patience());
  }
  blind_ = 0;
  anew_ = false;
  unplanned_since_.reset();
  let_go_of_lists();
  forget_unshared();

  const Claims::Table table = claims_.table();
  std::vector<At> shared;
  std::vector<SessionHash> hashes;
  std::vector<MemberIndex> owners;
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    Session& session = it->second;
    if (!session.shared) continue;
    if (session.stage <= Stage::asking) {
      session.owner = table.claimant(session.hash).value_or(nobody);
      if (session.owner != nobody) {
        session.free_since.reset();
      } else if (!session.free_since) {
        session.free_since = now;
      }
    }
    shared.push_back(it);
    hashes.push_back(session.hash);
    owners.push_back(seat_of(session));
  }

  const Plan plan = placement_->place(hashes, owners);
  quota_ = plan.quota[self_];
  planned_.assign(members_.size(), {});
  as_planned_.assign(members_.size(), false);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    Session& session = shared[i]->second;
    const bool news = std::exchange(session.placed, plan.placed[i]) != plan.placed[i];
    if (news) session.out_of_turn = session.seen_free = false;
    // However long nobody has had it: whoever should have it from now on comes first.
    if (news && session.free_since) session.free_since = now;
    if (session.placed != nobody) planned_[session.placed].add(session.hash);
    if (is_settled(session)) continue;
    if (session.stage == Stage::apart && session.placed != self_) {
      watch(shared[i]);
    } else {
      loosen(shared[i]);
    }
  }
  pause_ = pause_min;
  act_on_loose(now, actions);
  if (contradicted()) refresh_by(now + next_patience());
}

void Fleet::let_go_of_lists() {
  for (const At it : loose_) it->second.loose = false;
  for (const At it : watched_) it->second.watched = false;
  loose_.clear();
  watched_.clear();
  watch_at_.reset();
}

void Fleet::loosen(At it) {
  if (!std::exchange(it->second.loose, true)) loose_.push_back(it);
}

void Fleet::watch(At it) {
  Session& session = it->second;
  if (!std::exchange(session.watched, true)) watched_.push_back(it);
  if (session.free_since) watch_at_ = sooner(watch_at_, *session.free_since + turn());
}

// What is where it should be is loose no more, and what another should take is only watched.
void Fleet::sort_out() {
  std::erase_if(loose_, [this](const At it) {
    Session& session = it->second;
    const bool settled = is_settled(session);
    const bool of_others = session.stage == Stage::apart && session.placed != self_ && !session.out_of_turn;
    if (!settled && of_others) watch(it);
    session.loose = !settled && !of_others;
    return !session.loose;
  });
}

void Fleet::act_on_loose(Time now, Actions& actions) {
  sort_out();
  for (const At it : loose_) act(it, now, actions);
  ask_wanted(now, actions);
  if (own_.count > quota_) {
    act_at_ = sooner(act_at_, now + pause_);
    pause_ = std::min(2 * pause_, pause_max);
  } else {
    pause_ = pause_min;
    vain_ = 0;
  }
}

void Fleet::act(At it, Time now, Actions& actions) {
  Session& session = it->second;
  if (!session.shared || session.stage > Stage::asking) return;
  const bool ours_to_have = session.placed == self_ || session.out_of_turn;
  if (session.stage != Stage::apart) {
    if (!ours_to_have) withdraw(session, now, actions);
  } else if (!ours_to_have) {
    watch(it);
  } else if (now < session.rests_until) {
    act_at_ = sooner(act_at_, session.rests_until);
  } else {
    want(it);
  }
}

Duration Fleet::turn() const {
  return std::clamp<Duration>(plan_.timing.ttl / 5, milliseconds(200), seconds(2));
}

// What nobody takes who should, the others take one after the other, in the order of their rank.
Time Fleet::turn_of(Session& session) const {
  if (!session.position)
    session.position = static_cast<std::uint32_t>(placement_->position(self_, session.hash));
  return std::max(session.rests_until, *session.free_since + turn() * (1 + Duration::rep{*session.position}));
}

// After the last of several changes that come together; the more there is to place, the later.
void Fleet::act_soon(Time now) {
  act_at_ = sooner(act_at_, now + pause_min + std::chrono::microseconds(2) * loose_.size());
}

std::optional<Time> Fleet::act_due() const {
  if (planned_.empty() || scan_.under_way()) return std::nullopt;
  return sooner(act_at_, watch_at_);
}

void Fleet::scan(Time now, Actions& actions) {
  scanned_.clear();
  found_ = 0;
  if (act_at_ && *act_at_ <= now) {
    act_at_.reset();
    scan_for_waiters();
  }
  if (watch_at_ && *watch_at_ <= now) scan_for_turns(now);
  if (scanned_.empty()) return act_on_loose(now, actions);
  std::vector<std::string> keys;
  keys.reserve(scanned_.size());
  for (const At it : scanned_) keys.push_back(key_of(it->first));
  Outbox out = tenant_.ask_for_fleet(actions);
  scan_.start(std::move(keys), now, out);
}

// Does somebody wait for what we have too much of?
void Fleet::scan_for_waiters() {
  if (own_.count <= quota_) return;
  if (++vain_ % looks_at_all_every != 0) {
    std::ranges::copy_if(loose_, std::back_inserter(scanned_),
                         [](const At it) { return it->second.shared && it->second.stage == Stage::ours; });
    return;
  }
  for (const auto& [lease, it] : leases_) {
    if (it->second.shared && it->second.stage == Stage::ours) scanned_.push_back(it);
  }
  std::ranges::sort(scanned_, {}, [](const At it) -> const std::string& { return it->first; });
}

// Is what others do not take still free, now that it is our turn?
void Fleet::scan_for_turns(Time now) {
  watch_at_.reset();
  std::erase_if(watched_, [&](const At it) {
    Session& session = it->second;
    session.watched = session.stage == Stage::apart && session.placed != self_ && !is_settled(session);
    if (!session.watched || !session.free_since) return !session.watched;
    if (const Time its_turn = turn_of(session); its_turn <= now) {
      scanned_.push_back(it);
    } else {
      watch_at_ = sooner(watch_at_, its_turn);
    }
    return false;
  });
  const Time again = now + watch_pause + std::chrono::microseconds(10) * watched_.size();
  if (watch_at_) watch_at_ = std::max(*watch_at_, again);
}

void Fleet::on_found(const std::vector<HolderScan::Found>& found, Time now, Actions& actions) {
  if (found.empty()) return;
  for (const HolderScan::Found& it : found) note(scanned_[it.name], it.view, now, actions);
  found_ += found.size();
  if (found_ == scanned_.size() && !planned_.empty()) act_on_loose(now, actions);
}

void Fleet::note(At it, const std::optional<View>& view, Time now, Actions& actions) {
  Session& session = it->second;
  if (session.stage == Stage::ours) {
    if (!view || view->waiters == 0 || !session.shared || own_.count <= quota_) return;
    vain_ = 0;
    drain(it, EndReason::rebalance, Time::max(), now, actions);
    return;
  }
  if (session.stage != Stage::apart || session.placed == self_) return;
  if (view && view->holder) session.owner = seat_of(view->holder->owner);
  const bool free = view && !view->holder && !view->stirs;
  // Whoever stands in its queue comes first, and needs a moment to see that it is free. Not longer: waiters may be dead.
  session.out_of_turn = free && (view->waiters == 0 || session.seen_free);
  session.seen_free = free;
  if (session.out_of_turn) {
    loosen(it);
  } else if (!free && session.owner != nobody) {
    session.free_since.reset();
  } else {
    // It is held by somebody who does not live, waited or kept for, or half granted: it is looked at again later.
    session.free_since = now;
    watch(it);
  }
}

}  // namespace tenure::core
