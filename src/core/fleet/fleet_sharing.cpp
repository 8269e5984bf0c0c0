// Who has what, who should have it, and what this instance does about it.
#include <algorithm>

#include "core/action.hpp"
#include "core/base/check.hpp"
#include "core/fleet/fleet.hpp"

namespace tenure::core {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Who has more than its share looks whether somebody waits for some of it, less and less often.
constexpr Duration pause_min = milliseconds(50);
constexpr Duration pause_max = seconds(1);
// What others should have, and do not yet, is their affair first. Looking at all of it takes a while where there is
// much, and must not be what keeps them from it.
constexpr Duration patience_min = milliseconds(250);
constexpr int patience_factor = 4;  // times what the last look took; more while it leads nowhere

}  // namespace

void Fleet::look_by(Time when, bool at_all) {
  if (at_all) {
    whole_ = true;
    puzzled_ = 0;
    pause_ = pause_min;
  }
  others_at_ = sooner(others_at_, when);
}

// Not before there is something to place, and somebody to place it on.
std::optional<Time> Fleet::scan_due() const {
  const auto due = sooner(others_at_, act_at_);
  if (!placement_ || !shared_ || !due || scan_.under_way()) return std::nullopt;
  return std::max(*due, settles_);
}

bool Fleet::to_be_scanned(const Session& session) const {
  if (!session.shared) return false;
  switch (session.stage) {
    case Stage::ours:  // does somebody wait for it?
      return owned_ > quota_;
    case Stage::draining:
    case Stage::releasing:
      return false;
    case Stage::apart:
    case Stage::wanted:
    case Stage::asking:
      break;
  }
  return look_at_others_ && (whole_ || !is_settled(session));
}

void Fleet::scan(Time now, Actions& actions) {
  std::erase_if(wanted_, [](const At it) { return it->second.stage != Stage::wanted; });
  std::erase_if(sessions_, [](const auto& item) {
    const Session& session = item.second;
    return !session.shared && session.stage == Stage::apart && !session.hand;
  });
  scanned_.clear();
  found_ = 0;
  scan_began_ = now;
  act_at_.reset();
  look_at_others_ = others_at_ && now >= *others_at_;
  if (look_at_others_) others_at_.reset();
  std::vector<std::string> keys;
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    if (!to_be_scanned(it->second)) continue;
    scanned_.push_back(it);
    keys.push_back(key_of(it->first));
  }
  if (look_at_others_) whole_ = false;
  if (keys.empty()) {
    place(now, actions);
    return;
  }
  Outbox out = tenant_.ask_for_fleet(actions);
  scan_.start(std::move(keys), now, out);
}

void Fleet::on_found(const std::vector<HolderScan::Found>& found, Time now, Actions& actions) {
  if (found.empty()) return;
  for (const HolderScan::Found& it : found) {
    if (it.view) note(scanned_[it.name], *it.view, now, actions);
  }
  found_ += found.size();
  if (found_ != scanned_.size()) return;
  place(now, actions);
}

// Does somebody live have what another should have, or nobody? What still belongs to the dead is no puzzle.
bool Fleet::is_puzzling() const {
  return std::ranges::any_of(sessions_, [this](const auto& item) {
    const Session& session = item.second;
    return session.shared && session.stage <= Stage::asking && !is_settled(session) &&
           (session.owner == none || seat_of(session) != nobody);
  });
}

void Fleet::note(At it, const View& view, Time now, Actions& actions) {
  Session& session = it->second;
  if (session.stage == Stage::ours) {
    if (session.shared && view.waiters > 0 && owned_ > quota_)
      drain(it, EndReason::rebalance, Time::max(), actions);
    return;
  }
  if (session.stage > Stage::asking) return;
  if (view.holder) {
    session.owner = owner_index(view.holder->owner);
    session.free_since.reset();
    return;
  }
  session.owner = none;
  // Kept for a waiter, or half granted: somebody is about to have it.
  if (view.stirs || !session.free_since) session.free_since = now;
}

Fleet::OwnerIndex Fleet::owner_index(const std::string& owner) {
  const auto [it, added] = owner_indices_.try_emplace(owner, static_cast<OwnerIndex>(owners_.size()));
  if (added) {
    owners_.push_back(owner);
    const auto member = std::ranges::find(members_, owner, &Member::id);
    seats_.push_back(member == members_.end() ? nobody : static_cast<MemberIndex>(member - members_.begin()));
  }
  return it->second;
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
  return session.owner < none ? seats_[session.owner] : nobody;
}

bool Fleet::is_settled(const Session& session) const {
  if (session.placed == nobody) return false;
  if (session.stage == Stage::ours) return session.placed == self_;
  return session.stage == Stage::apart && session.placed != self_ && seat_of(session) == session.placed;
}

void Fleet::place(Time now, Actions& actions) {
  std::vector<At> shared;
  std::vector<SessionHash> hashes;
  std::vector<MemberIndex> owners;
  bool blind = false;
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    const Session& session = it->second;
    if (!session.shared) continue;
    blind = blind || (session.stage <= Stage::asking && session.owner == unknown);
    shared.push_back(it);
    hashes.push_back(session.hash);
    owners.push_back(seat_of(session));
  }
  unsettled_ = shared.size();
  // Too few nodes have answered to know what there is to share.
  if (!blind) {
    const Plan plan = placement_->place(hashes, owners);
    quota_ = plan.quota[self_];
    for (std::size_t i = 0; i < shared.size(); ++i) {
      Session& session = shared[i]->second;
      const bool news = std::exchange(session.placed, plan.placed[i]) != plan.placed[i];
      // However long nobody has had it: whoever should have it from now on comes first.
      if (news && session.free_since) session.free_since = now;
    }
    for (const At it : shared) act(it, now, actions);
    unsettled_ = static_cast<std::size_t>(
        std::ranges::count_if(shared, [this](const At it) { return !is_settled(it->second); }));
    ask_wanted(now, actions);
  }
  plan_next_look(now);
}

void Fleet::plan_next_look(Time now) {
  const bool looked = std::exchange(look_at_others_, false);
  if (owned_ > quota_) {
    act_at_ = sooner(act_at_, now + pause_);
    pause_ = std::min(2 * pause_, pause_max);
  } else {
    pause_ = pause_min;
  }
  if (unsettled_ == 0) return;
  if (!looked) return look_by(now + patience_min, false);
  // What is puzzling again was decided by what was seen of other sessions some time ago: then all are looked at.
  puzzled_ = is_puzzling() ? puzzled_ + 1 : 0;
  const Duration patience = std::max<Duration>(patience_min, patience_factor * (now - scan_began_));
  whole_ = whole_ || puzzled_ >= 2;
  others_at_ = sooner(others_at_, now + patience * (1U << std::clamp(puzzled_, 1U, 3U)) / 2);
}

void Fleet::act(At it, Time now, Actions& actions) {
  Session& session = it->second;
  const auto turn = turn_of(session);
  const bool ask = turn && now >= *turn;
  if (session.stage == Stage::apart && ask) {
    want(it);
  } else if (session.stage == Stage::apart && turn) {
    act_at_ = sooner(act_at_, turn);
  } else if ((session.stage == Stage::wanted || session.stage == Stage::asking) && !ask) {
    withdraw(session, now, actions);
  }
}

// When to ask: at once for what is ours to have; and for what nobody takes who should, one after the other in the order of
// their rank. Never for what others have.
std::optional<Time> Fleet::turn_of(const Session& session) const {
  if (session.placed == self_) return session.rests_until;
  if (!session.free_since) return std::nullopt;
  const Duration turn = std::clamp<Duration>(plan_.timing.ttl / 5, milliseconds(200), seconds(2));
  const auto before_us = static_cast<Duration::rep>(placement_->position(self_, session.hash));
  return std::max(session.rests_until, *session.free_since + turn * (1 + before_us));
}

// After the last of several changes that come together; the more there is to place, the later.
void Fleet::act_soon(Time now) {
  act_at_ = sooner(act_at_, now + pause_min + std::chrono::microseconds(2) * sessions_.size());
}

}  // namespace tenure::core
