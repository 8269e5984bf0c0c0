#include "sim/world/membership.hpp"

#include <algorithm>
#include <utility>

#include "core/base/overload.hpp"
#include "redis/grant_text.hpp"

namespace tenure::sim {

void Membership::boot(Client& client) {
  life_.begin(client);
  in_ = false;
  works_.clear();
  if (wanted_) life_.later(up_to(ttl() / 20), [this] { join(); });
}

void Membership::begin() {
  whims_ = wanted_ = true;
  life_.later(up_to(ttl()), [this] { join(); });
}

void Membership::begin_calmly() {
  whims_ = false;
  wanted_ = true;
  join();
}

void Membership::end() {
  const bool at_once = whims_ && chance(20);
  wanted_ = whims_ = false;
  if (!in_) return;
  if (at_once) {
    client().leave_fleet_at_once();
  } else {
    client().leave_fleet();
  }
}

bool Membership::has(const std::string& session) const {
  const auto found = works_.find(session);
  return found != works_.end() && !found->second.ending && client().held(found->second.lease);
}

std::size_t Membership::owned() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(works_, [this](const auto& entry) { return has(entry.first); }));
}

void Membership::join() {
  if (!wanted_ || in_) return;
  in_ = true;
  parts_ += 1;
  client().join_fleet(weight_);
  // Some know the sessions before they know who lives, some after.
  if (whims_) {
    life_.later(up_to(ttl() / 5), [this] { read_sessions(); });
    life_.later(up_to(ttl() * 6), [this, part = parts_] { have_whim(part); });
  } else {
    read_sessions();
  }
}

void Membership::read_sessions() {
  if (!in_) return;
  client().share(shared_.roster.sessions());
  life_.later(up_to(ttl()), [this, part = parts_] {
    if (part == parts_) read_sessions();
  });
}

void Membership::have_whim(std::uint64_t part) {
  if (!in_ || part != parts_ || !whims_) return;
  const auto& sessions = shared_.roster.sessions();
  const auto whim = random_.below(10);
  if (whim < 2) {
    client().leave_fleet();
  } else if (whim < 5 && !sessions.empty()) {
    client().take(sessions[random_.below(sessions.size())]);
  } else if (whim < 8 && !sessions.empty()) {
    client().give_back(sessions[random_.below(sessions.size())]);
  }
  life_.later(up_to(ttl() * 6), [this, part] { have_whim(part); });
}

void Membership::hear(const core::FleetNotice& notice) {
  std::visit(core::Overload{
                 [this](const core::SessionTaken& it) { on_taken(it); },
                 [](const core::SessionRefused&) {},
                 [this](const core::SessionEnding& it) {
                   if (Work* work = work_of(it.session, it.lease)) work->ending = true;
                   if (it.reason != core::EndReason::closed) drain(it.session, it.lease, it.deadline);
                 },
                 [this](const core::SessionEnded& it) {
                   if (work_of(it.session, it.lease) != nullptr) works_.erase(it.session);
                 },
                 [](const core::InstancesChanged&) {},
                 [this](const core::SessionsChanged&) {
                   life_.later(up_to(shared_.plan.delay_usual), [this] { read_sessions(); });
                 },
                 [](const core::FleetJoined&) {},
                 [](const core::FleetHindered&) {},
                 [](const core::FleetNotOpen&) {},
                 [](const core::FleetOpen&) {},
                 [](const core::FleetRefused&) {},
                 [this](const core::FleetStopped&) {
                   in_ = false;
                   if (wanted_) life_.later(up_to(ttl() * 2), [this] { join(); });
                 },
             },
             notice);
}

Membership::Work* Membership::work_of(const std::string& session, core::LeaseId lease) {
  const auto found = works_.find(session);
  return found != works_.end() && found->second.lease == lease ? &found->second : nullptr;
}

Duration Membership::pace() const { return ttl() / 10 * static_cast<std::int64_t>(1 + works_.size() / 4); }

void Membership::on_taken(const core::SessionTaken& taken) {
  const core::Acquired& lease = taken.lease;
  works_[taken.session] = Work{lease.lease, lease.token, redis::value(lease.grant, lease.token)};
  life_.later(up_to(ttl() / 20), [this, session = taken.session, id = lease.lease] { work(session, id); });
}

// Again and again, as long as the work has not ended: whether it is held is asked each time.
void Membership::work(const std::string& session, core::LeaseId lease) {
  const Work* work = work_of(session, lease);
  if (work == nullptr || work->done) return;
  client().work_on(lease);
  if (chance(30)) write(session, *work);
  life_.later(up_to(pace()), [this, session, lease] { this->work(session, lease); });
}

void Membership::write(const std::string& session, const Work& work) {
  if (!client().held(work.lease)) return;
  shared_.network.send_elsewhere([this, session, work, life = life_.number()] {
    const bool still_held = life == life_.number() && client().held(work.lease);
    const bool taken =
        shared_.judge.on_write(session, work.value, work.token, still_held, shared_.schedule.now());
    shared_.trace.event(shared_.schedule.now(), "write", work.token, taken ? 1 : 0,
                        [&] { return work.value; });
  });
}

// The work in flight ends within the time that there is, or now and then not.
void Membership::drain(const std::string& session, core::LeaseId lease, core::Time deadline) {
  const Duration left = std::max(client().until(deadline), Duration::zero());
  const bool overruns = whims_ && chance(8);
  const Duration longest = std::min(left, whims_ ? left : drain_calm(shared_.plan));
  life_.later(overruns ? left + up_to(ttl() / 2) : up_to(longest), [this, session, lease] {
    Work* work = work_of(session, lease);
    if (work == nullptr) return;
    client().work_on(lease);
    work->done = true;
    client().session_drained(lease);
  });
}

}  // namespace tenure::sim
