#include "core/fleet/fleet.hpp"

#include <algorithm>
#include <string_view>

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
      scan_(tenant.nodes(), plan_.timing.node_timeout, tenant.batch_max()) {}

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
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    withdraw(it->second, now, actions);
    if (it->second.stage == Stage::ours) drain(it, reason, Time::max(), actions);
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
  const std::set<std::string_view> named(sessions.begin(), sessions.end());
  bool news = !shared_;
  shared_ = true;
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    Session& session = it->second;
    if (!session.shared || named.contains(it->first)) continue;
    session.shared = false;
    session.placed = nobody;
    news = true;
    withdraw(session, now, actions);
    if (session.stage != Stage::ours) continue;
    owned_ -= 1;
    drain(it, EndReason::removed, Time::max(), actions);
  }
  for (const std::string& id : sessions) {
    const auto [it, added] = sessions_.try_emplace(id, Session{session_hash(id)});
    Session& session = it->second;
    if (std::exchange(session.shared, true)) continue;
    news = true;
    if (session.stage == Stage::ours) owned_ += 1;
  }
  census_.note_owned(owned_);
  if (news) look_by(now, true);
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
    note_answer(it->second->second);
    if (waiting->refusal.code == RefusalCode::held) {
      backoff_ = {};
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
    if (const auto it = leases_.find(lost->lease); it != leases_.end()) on_lost(it->second, *lost, more);
  }
  return false;
}

void Fleet::on_news(const Census::News& news, Time now, Actions& actions) {
  if (const auto* failure = std::get_if<Failure>(&news)) {
    if (!std::exchange(hindered_, true)) actions.push_back(FleetHindered{*failure});
  } else if (const auto* taken = std::get_if<IdTaken>(&news)) {
    actions.push_back(FleetRefused{*taken});
    give_all_back(EndReason::taken, now, actions);
  } else {
    // The store answers again: there is nothing more to wait for.
    if (std::exchange(hindered_, false)) backed_off_until_ = now;
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
    look_by(now, true);
  // What others say they have is not what was seen: twice in a row it is no matter of a late beat.
  const bool differ = shared_ && counts_differ();
  if (differ && std::exchange(counts_differed_, differ)) look_by(now, true);
  counts_differed_ = differ;
}

bool Fleet::counts_differ() const {
  std::vector<std::uint64_t> seen(members_.size());
  for (const auto& [id, session] : sessions_) {
    const MemberIndex seat = session.shared ? seat_of(session) : nobody;
    if (seat < seen.size()) seen[seat] += 1;
  }
  for (MemberIndex i = 0; i < members_.size(); ++i) {
    if (i != self_ && members_[i].owned != seen[i]) return true;
  }
  return false;
}

void Fleet::note_members(const std::vector<Member>& members, Time now, Actions& actions) {
  const auto seat_like = [](const Member& one, const Member& other) {
    return one.id == other.id && one.weight == other.weight;
  };
  const bool same = placement_ && std::ranges::equal(members, members_, seat_like);
  const auto before = std::exchange(members_, members);
  if (same) return;
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
  const auto own = std::ranges::find(members_, tenant_.owner(), &Member::id);
  self_ = static_cast<MemberIndex>(own - members_.begin());
  placement_.emplace(members_);
  for (auto& [id, session] : sessions_) session.placed = nobody;
  quota_ = unlimited;
  for (OwnerIndex i = 0; i < owners_.size(); ++i) {
    const auto it = std::ranges::find(members_, owners_[i], &Member::id);
    seats_[i] = it == members_.end() ? nobody : static_cast<MemberIndex>(it - members_.begin());
  }
  actions.push_back(std::move(changed));
  // Others may be about to come or go, too; and who was lost with the data will have beaten again by then.
  if (settles_ <= now) settles_ = now + random_.between(milliseconds(100), milliseconds(150));
  look_by(now, true);
}

void Fleet::on_timer(Time now, Actions& actions) {
  if (phase_ == Phase::resting || phase_ == Phase::stopped) return;
  Outbox out = tenant_.ask_for_fleet(actions);
  if (const auto news = census_.on_timer(now, random_, out)) on_news(*news, now, actions);
  std::vector<HolderScan::Found> found;
  scan_.on_timer(now, out, found);
  on_found(found, now, actions);
  while (!drains_.empty() && drains_.begin()->first <= now) drained(drains_.begin()->second, now, actions);
  if (const auto due = scan_due(); phase_ == Phase::sharing && due && *due <= now) scan(now, actions);
}

std::optional<Time> Fleet::wake() const {
  if (phase_ == Phase::resting || phase_ == Phase::stopped) return std::nullopt;
  auto first = sooner(census_.wake(), scan_.wake());
  if (!drains_.empty()) first = sooner(first, drains_.begin()->first);
  return phase_ == Phase::sharing ? sooner(first, scan_due()) : first;
}

}  // namespace tenure::core
