#include "core/fleet/fleet.hpp"

#include <algorithm>

#include "core/action.hpp"
#include "core/base/check.hpp"
#include "core/lease/record.hpp"

namespace tenure::core {

namespace {

using std::chrono::milliseconds;

CensusPlan census_plan(const FleetPlan& plan, const std::string& id) {
  return {plan.prefix,
          id,
          Beat{plan.boot, plan.started_ms, plan.weight},
          plan.data,
          plan.timing.ttl,
          plan.timing.renew,
          plan.timing.node_timeout};
}

}  // namespace

Fleet::Fleet(FleetPlan plan, Tenant& tenant, Random random)
    : plan_(std::move(plan)),
      tenant_(tenant),
      random_(random),
      census_(census_plan(plan_, tenant.owner())),
      scan_(tenant.nodes(), plan_.timing.node_timeout, tenant.batch_max()),
      reader_(plan_.prefix, plan_.data, plan_.timing.node_timeout),
      survey_(tenant.nodes(), plan_.timing.node_timeout, tenant.batch_max()) {}

void Fleet::start(Time now) {
  must(phase_ == Phase::resting, "a fleet is started once");
  phase_ = Phase::joining;
  census_.join(now);
}

void Fleet::stop(Time now, Actions& actions) {
  if (phase_ == Phase::leaving || phase_ == Phase::stopped) return;
  give_all_back(EndReason::stopped, now, actions);
}

void Fleet::close(Time now, Actions& actions) {
  if (phase_ == Phase::stopped) return;
  give_all_back(EndReason::closed, now, actions);
  std::vector<LeaseId> left;
  for (const auto& [lease, it] : leases_) left.push_back(lease);
  std::ranges::sort(left);
  for (const LeaseId lease : left) {
    tenant_.forget(lease, now, actions);
    end(leases_.at(lease), now, actions);
  }
}

void Fleet::give_all_back(EndReason reason, Time now, Actions& actions) {
  phase_ = Phase::leaving;
  Outbox out = tenant_.ask_for_fleet(actions);
  census_.leave(out);
  scan_.stop(out);
  stop_refresh(actions);
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    withdraw(it->second, now, actions);
    if (it->second.stage == Stage::ours) drain(it, reason, Time::max(), now, actions);
  }
  end_if_done(actions);
}

void Fleet::end_if_done(Actions& actions) {
  if (phase_ != Phase::leaving || !leases_.empty() || !asks_.empty()) return;
  phase_ = Phase::stopped;
  actions.push_back(FleetStopped{});
}

void Fleet::share(const std::vector<std::string>& sessions, Time now, Actions& actions) {
  if (phase_ == Phase::leaving || phase_ == Phase::stopped) return;
  bool news = !shared_;
  round_ += 1;
  shared_ = true;
  for (const std::string& id : sessions) {
    Session& session = sessions_.try_emplace(id, Session{session_hash(id)}).first->second;
    session.named = round_;
    if (session.shared) continue;
    set_shared(session, true);
    news = true;
  }
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    Session& session = it->second;
    if (!session.shared || session.named == round_) continue;
    set_shared(session, false);
    news = true;
    withdraw(session, now, actions);
    if (session.stage == Stage::ours) drain(it, EndReason::removed, Time::max(), now, actions);
  }
  if (!news) return;
  note_own(now);
  refresh_anew(now);
}

void Fleet::set_shared(Session& session, bool shared) {
  session.shared = shared;
  shared ? shared_count_ += 1 : shared_count_ -= 1;
  session.placed = nobody;
  if (session.stage != Stage::ours) return;
  shared ? own_.add(session.hash) : own_.remove(session.hash);
}

std::optional<std::string> Fleet::preferred(const std::string& session) const {
  const auto it = sessions_.find(session);
  if (it == sessions_.end() || it->second.placed >= members_.size()) return std::nullopt;
  return members_[it->second.placed].id;
}

void Fleet::on_change(FleetChange change, Time now, Actions& actions) {
  if (phase_ != Phase::joining && phase_ != Phase::sharing) return;
  if (change == FleetChange::sessions) actions.push_back(SessionsChanged{});
  // Not all of them in the same moment.
  census_.beat_by(now + random_.between(Duration::zero(), milliseconds(20)));
}

void Fleet::route(Actions& actions, Time now) {
  offer(actions, [&](Action& action, Actions& more) { return route(action, now, more); });
}

// True when it concerns nobody but the fleet.
bool Fleet::route(Action& action, Time now, Actions& more) {
  const auto asked = [&](AcquireId id) { return asks_.find(id); };
  if (const auto* heard = std::get_if<Heard>(&action)) {
    Outbox out = tenant_.ask_for_fleet(more);
    std::vector<HolderScan::Found> found;
    scan_.on_reply(heard->request, heard->reply, now, out, found);
    on_found(found, now, more);
    std::vector<HolderScan::Found> surveyed;
    survey_.on_reply(heard->request, heard->reply, now, out, surveyed);
    on_surveyed(surveyed, now, more);
    const bool reading = reader_.under_way();
    std::vector<ListReader::Read> read;
    reader_.on_reply(heard->request, heard->reply, now, out, read);
    if (reading) on_read(read, now, more);
    if (const auto news = census_.on_reply(heard->request, heard->reply, now, random_))
      on_news(*news, now, more);
    return true;
  }
  if (const auto* acquired = std::get_if<Acquired>(&action)) {
    const auto it = asked(acquired->acquire);
    if (it == asks_.end()) return false;
    on_acquired(it->second, *acquired, now, more);
    return true;
  }
  if (const auto* refused = std::get_if<Refused>(&action)) {
    const auto it = asked(refused->acquire);
    if (it == asks_.end()) return false;
    on_refused(it->second, *refused, now, more);
    return true;
  }
  if (const auto* waiting = std::get_if<Waiting>(&action)) {
    const auto it = asked(waiting->acquire);
    if (it == asks_.end()) return false;
    Session& session = it->second->second;
    note_answer(session);
    if (waiting->refusal.code == RefusalCode::held) {
      backoff_ = {};
      // Somebody has taken it after all.
      if (std::exchange(session.out_of_turn, false)) {
        session.free_since = now;
        act_soon(now);
      }
      note_open(more);
    }
    // One that is open again already was opened between our admission and this request.
    const auto& record = waiting->refusal.record.read;
    if (!record || !record->open) note_not_open(waiting->refusal, more);
    ask_wanted(now, more);
    return true;
  }
  if (const auto* released = std::get_if<Released>(&action)) {
    const auto it = leases_.find(released->lease);
    if (it == leases_.end()) return false;
    // Where no answer came it is tried on in the background, as long as anything can be there (T47).
    if (released->outcome == ReleaseOutcome::failed) tenant_.forget(released->lease, now, more);
    end(it->second, now, more);
    return true;
  }
  // What happens to a lease is also its holder's affair.
  if (const auto* lost = std::get_if<Lost>(&action)) {
    if (const auto it = leases_.find(lost->lease); it != leases_.end()) on_lost(it->second, *lost, now, more);
  }
  return false;
}

void Fleet::on_news(const Census::News& news, Time now, Actions& actions) {
  if (const auto* failure = std::get_if<Failure>(&news)) {
    if (!std::exchange(hindered_, true)) actions.push_back(FleetHindered{*failure});
    // Sessions that came are not left alone because heartbeats are away: what was last heard must do.
    if (refresh_ == Refresh::beating && anew_ && now >= refresh_began_ + plan_.timing.renew)
      read_lists(now, actions);
  } else if (const auto* taken = std::get_if<IdTaken>(&news)) {
    actions.push_back(FleetRefused{*taken});
    give_all_back(EndReason::taken, now, actions);
  } else {
    // The store answers again: there is nothing more to wait for. What was sent before may fail only now, which says
    // nothing about the store as it is.
    if (std::exchange(hindered_, false)) {
      backoff_ = {};
      backed_off_until_ = now;
    }
    on_members(std::get<LiveMembers>(news), now, actions);
  }
}

void Fleet::on_members(const LiveMembers& live, Time now, Actions& actions) {
  if (phase_ == Phase::joining) {
    phase_ = Phase::sharing;
    actions.push_back(FleetJoined{});
  }
  if (std::exchange(version_, live.version) != live.version) {
    census_.note_version(live.version);
    actions.push_back(SessionsChanged{});
  }
  note_members(live.members, now, actions);
  // Others have counted us as dead, and shared without us, though nobody else came or went: what we know is old.
  if (const auto last = std::exchange(last_seen_, now); last && now > *last + plan_.timing.ttl)
    refresh_anew(now);
  on_said(now, actions);
}

void Fleet::note_members(const std::vector<Member>& members, Time now, Actions& actions) {
  const auto seat_like = [](const Member& one, const Member& other) {
    return one.id == other.id && one.weight == other.weight;
  };
  const bool same = placement_ && std::ranges::equal(members, members_, seat_like);
  const auto before = std::exchange(members_, members);
  const auto own = std::ranges::find(members_, tenant_.owner(), &Member::id);
  self_ = static_cast<MemberIndex>(own - members_.begin());
  claims_.note(members_, self_);
  if (same) return;
  learn_as_planned(before);
  InstancesChanged changed;
  const auto ids = [](const std::vector<Member>& from) {
    std::set<std::string> all;
    for (const Member& member : from) all.insert(member.id);
    return all;
  };
  const auto old_ids = ids(before);
  const auto new_ids = ids(members_);
  std::ranges::set_difference(new_ids, old_ids, std::back_inserter(changed.joined));
  std::ranges::set_difference(old_ids, new_ids, std::back_inserter(changed.left));
  placement_.emplace(members_);
  let_go_of_lists();
  for (auto& [id, session] : sessions_) {
    session.owner = session.placed = nobody;
    session.position.reset();
  }
  planned_.clear();
  quota_ = unlimited;
  actions.push_back(std::move(changed));
  // Others may be about to come or go, too; and who was lost with the data will have beaten again by then.
  if (!unplanned_since_) unplanned_since_ = now;
  // Where there is much to place, more of them are waited for.
  if (settles_ <= now) {
    settles_ = now + random_.between(milliseconds(100), milliseconds(150)) +
               std::chrono::microseconds(2) * sessions_.size();
  }
  stop_refresh(actions);
  refresh_anew(settles_);
}

void Fleet::on_timer(Time now, Actions& actions) {
  if (phase_ == Phase::resting || phase_ == Phase::stopped) return;
  Outbox out = tenant_.ask_for_fleet(actions);
  if (census_.due(now)) census_.note_owned(own_, owned_list());
  if (const auto news = census_.on_timer(now, random_, out)) on_news(*news, now, actions);
  std::vector<HolderScan::Found> found;
  scan_.on_timer(now, out, found);
  on_found(found, now, actions);
  std::vector<HolderScan::Found> surveyed;
  survey_.on_timer(now, out, surveyed);
  on_surveyed(surveyed, now, actions);
  if (const auto gives_up = reader_.wake(); gives_up && *gives_up <= now) {
    reader_.on_timer(now, out);
    std::vector<ListReader::Read> nothing;
    on_read(nothing, now, actions);
  }
  while (!drains_.empty() && drains_.begin()->first <= now) drained(drains_.begin()->second, now, actions);
  if (phase_ != Phase::sharing) return;
  if (const auto due = refresh_due(); due && *due <= now) start_refresh(now);
  if (const auto due = act_due(); due && *due <= now) scan(now, actions);
}

std::optional<Time> Fleet::wake() const {
  if (phase_ == Phase::resting || phase_ == Phase::stopped) return std::nullopt;
  auto first = sooner(sooner(census_.wake(), scan_.wake()), sooner(survey_.wake(), reader_.wake()));
  if (!drains_.empty()) first = sooner(first, drains_.begin()->first);
  return phase_ == Phase::sharing ? sooner(first, sooner(refresh_due(), act_due())) : first;
}

}  // namespace tenure::core
