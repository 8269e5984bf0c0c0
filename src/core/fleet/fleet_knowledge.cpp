// Who has what, as the others say. What somebody owns changes no more often than members and sessions do: so what was
// planned is taken to have happened as long as the heartbeats agree, and is asked about again when they do not.
#include <algorithm>
#include <utility>

#include "core/action.hpp"
#include "core/fleet/fleet.hpp"

namespace tenure::core {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// After a first change of what is ours others hear of it so much later, with what has changed until then.
constexpr Duration said_after = milliseconds(500);
// For so long further changes of the members are waited for before a plan is made.
constexpr Duration unplanned_max = seconds(2);

}  // namespace

void Fleet::refresh_by(Time when) { refresh_at_ = sooner(refresh_at_, when); }

// Members or sessions have changed: a new plan must be made, whatever the heartbeats say.
void Fleet::refresh_anew(Time when) {
  anew_ = true;
  patience_ = {};
  refresh_by(when);
}

// Not before there is something to place, and somebody to place it on.
std::optional<Time> Fleet::refresh_due() const {
  if (!placement_ || !shared_ || !refresh_at_ || refresh_ != Refresh::none) return std::nullopt;
  return std::max(*refresh_at_, settles_);
}

// It begins with a beat, because what was last heard may be old by now.
void Fleet::start_refresh(Time now) {
  refresh_at_.reset();
  refresh_ = Refresh::beating;
  refresh_began_ = now;
  census_.beat_by(now);
}

void Fleet::stop_refresh(Actions& actions) {
  refresh_ = Refresh::none;
  Outbox out = tenant_.ask_for_fleet(actions);
  reader_.stop(out);
  survey_.stop(out);
}

// After every beat.
void Fleet::on_said(Time now, Actions& actions) {
  believe(now);
  const bool fresh = refresh_ == Refresh::beating && census_.last() >= refresh_began_;
  if (fresh || is_overdue(now)) return read_lists(now, actions);
  if (refresh_ != Refresh::none || anew_) return;
  if (!contradicted()) {
    refresh_at_.reset();
    patience_ = {};
  } else if (!refresh_at_) {
    refresh_by(now + next_patience());
  }
}

// Where members come and go all the time nothing would ever be planned if the last of them were waited for.
bool Fleet::is_overdue(Time now) const {
  const bool idle = refresh_ == Refresh::none || refresh_ == Refresh::beating;
  return idle && shared_ && unplanned_since_ && now > *unplanned_since_ + unplanned_max;
}

// Does anybody own something else than was planned for it?
bool Fleet::contradicted() const {
  for (MemberIndex i = 0; i < planned_.size(); ++i) {
    if (i == self_ ? own_ != planned_[i] : !claims_.says(i, planned_[i])) return true;
  }
  return false;
}

// The more there is to plan, the longer.
Duration Fleet::patience_max() const {
  return plan_.timing.renew + std::chrono::microseconds(100) * sessions_.size();
}

// Moves take their time, so that a contradiction is looked into soon at first, and then less and less often. Not all of
// them do so in the same moment.
Duration Fleet::next_patience() {
  const Duration shortest = std::clamp<Duration>(plan_.timing.renew / 10, milliseconds(100), seconds(1));
  patience_ = std::clamp(2 * patience_, std::min(shortest, patience_max()), patience_max());
  return random_.between(patience_ / 2, patience_);
}

// As long as sessions go on changing hands the plan is being carried out, and another one would be the same.
bool Fleet::moves_on() {
  const bool moved = std::exchange(changes_seen_, claims_.changes()) != claims_.changes();
  return moved && patience_ < patience_max();
}

// Whoever says that it owns just what was planned for it is believed: its list is not read.
void Fleet::learn_as_planned(const std::vector<Member>& planned_for) {
  if (planned_.empty()) return;
  std::vector<MemberIndex> learners(planned_for.size(), nobody);  // their index now, by the one that they had
  bool any = false;
  for (MemberIndex i = 0; i < planned_for.size(); ++i) {
    const MemberIndex member = seat_of(planned_for[i].id);
    if (member == nobody || member == self_ || claims_.known(member)) continue;
    if (!claims_.says(member, planned_[i])) continue;
    learners[i] = member;
    any = true;
  }
  if (!any) return;
  std::vector<std::vector<SessionHash>> lists(members_.size());
  for (const auto& [id, session] : sessions_) {
    if (!session.shared || session.placed >= learners.size()) continue;
    if (const MemberIndex member = learners[session.placed]; member != nobody)
      lists[member].push_back(session.hash);
  }
  for (const MemberIndex member : learners) {
    if (member != nobody) claims_.learn(member, std::move(lists[member]));
  }
}

// The same for single sessions: those that somebody should have had, or has given away, are where they should be.
void Fleet::believe(Time now) {
  if (planned_.empty()) return;
  bool news = false;
  for (MemberIndex i = 0; i < members_.size(); ++i) {
    const bool says_so = i != self_ && claims_.says(i, planned_[i]);
    news = news || (says_so && !as_planned_[i]);
    as_planned_[i] = says_so;
  }
  if (!news) return;
  const auto note_owner = [&](const At it) {
    Session& session = it->second;
    if (session.stage > Stage::asking) return;
    if (session.placed != nobody && as_planned_[session.placed]) {
      session.owner = session.placed;
      session.free_since.reset();
    } else if (session.owner != nobody && session.owner != session.placed && as_planned_[session.owner]) {
      session.owner = nobody;
      session.free_since = now;
      watch_at_ = sooner(watch_at_, now + turn());
    }
  };
  std::ranges::for_each(loose_, note_owner);
  std::ranges::for_each(watched_, note_owner);
  act_soon(now);
}

void Fleet::read_lists(Time now, Actions& actions) {
  if (!anew_ && !contradicted()) {
    refresh_ = Refresh::none;
    patience_ = {};
    return;
  }
  if (!anew_ && moves_on()) {
    refresh_ = Refresh::none;
    return refresh_by(now + next_patience());
  }
  refresh_at_.reset();
  learn_as_planned(members_);
  std::vector<ListReader::Wanted> wanted;
  for (MemberIndex i = 0; i < members_.size(); ++i) {
    if (i != self_ && claims_.has_list(i) && !claims_.known(i))
      wanted.push_back({i, members_[i].id, members_[i].owned});
  }
  if (wanted.empty()) return survey(now, actions);
  refresh_ = Refresh::reading;
  Outbox out = tenant_.ask_for_fleet(actions);
  reader_.start(std::move(wanted), now, out);
}

void Fleet::on_read(std::vector<ListReader::Read>& read, Time now, Actions& actions) {
  for (auto& [member, list] : read) {
    if (list) {
      claims_.learn(member, std::move(*list));
    } else {
      claims_.learn_that_list_is_gone(member);
    }
  }
  if (!reader_.under_way()) survey(now, actions);
}

// Whoever has no list owns some of what is in no list: that is looked at.
void Fleet::survey(Time now, Actions& actions) {
  bool needed = false;
  for (MemberIndex i = 0; i < members_.size(); ++i) {
    if (i != self_ && !claims_.has_list(i) && (anew_ || !claims_.known(i))) needed = true;
  }
  if (!needed) return place(now, actions);
  const Claims::Table table = claims_.table();
  surveyed_.clear();
  survey_found_.clear();
  survey_failed_ = false;
  std::vector<std::string> keys;
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    const Session& session = it->second;
    if (!session.shared || session.stage > Stage::asking) continue;
    if (const auto claimant = table.claimant(session.hash); claimant && claims_.has_list(*claimant)) continue;
    surveyed_.push_back(it);
    keys.push_back(key_of(it->first));
  }
  refresh_ = Refresh::looking;
  Outbox out = tenant_.ask_for_fleet(actions);
  if (!keys.empty()) survey_.start(std::move(keys), now, out);
  if (surveyed_.empty()) place(now, actions);
}

void Fleet::on_surveyed(const std::vector<HolderScan::Found>& found, Time now, Actions& actions) {
  if (found.empty()) return;
  for (const HolderScan::Found& it : found) {
    survey_failed_ = survey_failed_ || !it.view;
    survey_found_.resize(std::max(survey_found_.size(), it.name + 1), nobody);
    if (it.view && it.view->holder) survey_found_[it.name] = seat_of(it.view->holder->owner);
  }
  if (survey_.under_way()) return;
  if (survey_failed_) {
    // Too few nodes have answered to know what there is, or to give anything.
    refresh_ = Refresh::none;
    return refresh_by(now + next_patience());
  }
  std::vector<std::vector<SessionHash>> lists(members_.size());
  for (std::size_t i = 0; i < surveyed_.size(); ++i) {
    if (survey_found_[i] != nobody) lists[survey_found_[i]].push_back(surveyed_[i]->second.hash);
  }
  for (MemberIndex i = 0; i < members_.size(); ++i) {
    if (i != self_ && !claims_.has_list(i)) claims_.learn(i, std::move(lists[i]));
  }
  place(now, actions);
}

// Is there somebody of whom nothing is known yet?
bool Fleet::blind() const {
  for (MemberIndex i = 0; i < members_.size(); ++i) {
    if (i != self_ && !claims_.seen(i)) return true;
  }
  return false;
}

std::vector<SessionHash> Fleet::owned_list() const {
  std::vector<SessionHash> list;
  list.reserve(own_.count);
  for (const auto& [lease, it] : leases_) {
    if (it->second.shared && it->second.stage == Stage::ours) list.push_back(it->second.hash);
  }
  return list;
}

// What is ours has changed: the others hear of it before long.
void Fleet::note_own(Time now) {
  census_.beat_by(now + std::min<Duration>(said_after, plan_.timing.renew / 4));
}

}  // namespace tenure::core
