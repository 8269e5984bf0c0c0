// The client's part in a fleet: what it does as the owner of sessions, and whether it was told what it must be told.
#include <algorithm>
#include <string>

#include "redis/grant_text.hpp"
#include "sim/world/client.hpp"

namespace tenure::sim {

void Client::join_fleet(std::uint32_t weight) {
  core::FleetPlan plan;
  plan.prefix = fleet_prefix;
  plan.timing = shared_.plan.timing;
  plan.weight = weight;
  plan.data = data_index();
  plan.boot = random_.hex16();
  plan.started_ms = wall_.read(shared_.schedule.now()).ms();
  leaving_ = false;
  joined_at_ = shared_.schedule.now();
  agent_.join(std::move(plan), now());
  if (!changes_.connection) listen_to_changes();
  perform();
}

void Client::leave_fleet() {
  leaving_ = true;
  agent_.leave(now());
  perform();
}

void Client::leave_fleet_at_once() {
  leaving_ = true;
  for (auto& [id, lease] : leases_) {
    if (!lease.session) continue;
    end_belief(lease);
    lease.released = true;
  }
  agent_.close_fleet(now());
  perform();
}

void Client::share(const std::vector<std::string>& sessions) {
  known_sessions_ = {sessions.begin(), sessions.end()};
  agent_.share(sessions, now());
  perform();
}

void Client::take(const std::string& session) {
  by_hand_.insert(session);
  agent_.take_session(session, now());
  perform();
}

void Client::give_back(const std::string& session) {
  agent_.give_back(session, now());
  perform();
}

void Client::work_on(core::LeaseId id) {
  Believed& lease = leases_.at(id);
  const TrueTime at = shared_.schedule.now();
  if (!held(id)) {
    lease.seen_over = true;
    return;
  }
  if (lease.seen_over) shared_.judge.violated("S6", at, lease.value + " is worked on again after it was not");
  shared_.sharing.on_work(*lease.session, redis::read_holder(lease.value).token, at);
}

// Until here the session was not given back: now nobody believes in it any more.
void Client::session_drained(core::LeaseId id) {
  Believed& lease = leases_.at(id);
  end_belief(lease);
  lease.released = true;
  agent_.session_drained(id, now());
  perform();
}

void Client::listen_to_changes() {
  attend(
      changes_, server_of(data_index()), redis::Keyspace::changes(fleet_prefix), [] {},
      [this](const std::string& message) {
        shared_.trace.event(shared_.schedule.now(), "change", index_, 0, [&] { return message; });
        agent_.on_change(redis::read_change(message), now());
        perform();
      });
}

void Client::on_fleet(const core::FleetNotice& notice) {
  std::visit([&](const auto& it) { on(it); }, notice);
  listener_.fleet(notice);
}

void Client::on(const core::SessionTaken& taken) {
  const TrueTime at = shared_.schedule.now();
  const core::Acquired& won = taken.lease;
  const bool by_hand = take_note_of_answer(taken.session);  // or both ways at once
  if (leaving_ || !(by_hand || known_sessions_.contains(taken.session))) {
    shared_.judge.violated("T48", at, owner_ + " took " + taken.session + ", which it does not want");
  }
  Believed lease{won.key, redis::value(won.grant, won.token), won.deadline, shared_.plan.timing};
  lease.session = taken.session;
  // When it began to ask is not told; that it joined before is certain.
  believe(won, std::move(lease), joined_at_);
  if (!by_hand) expect_no_loose_ends(won.key);
  shared_.sharing.on_taken(taken.session, won.token, at);
}

void Client::on(const core::SessionEnding& ending) {
  const TrueTime at = shared_.schedule.now();
  Believed& lease = leases_.at(ending.lease);
  shared_.trace.event(at, "ending", index_, static_cast<std::uint64_t>(ending.reason),
                      [&] { return lease.value; });
  if (ending.deadline > lease.deadline) {
    shared_.judge.violated("S6", at, lease.value + " may drain for longer than it is held");
  }
  if (lease.told) shared_.judge.violated("T52", at, lease.value + " was told twice to end");
  lease.told = now();
  if (ending.deadline < lease.deadline) {
    lease.deadline = ending.deadline;
    end_belief(lease);
  }
}

void Client::on(const core::SessionEnded& ended) {
  const TrueTime at = shared_.schedule.now();
  const Believed& lease = leases_.at(ended.lease);
  shared_.trace.event(at, "ended", index_, static_cast<std::uint64_t>(ended.reason),
                      [&] { return lease.value; });
  // Before its work has ended a session is over only when its time is.
  if (!lease.released && held(ended.lease)) {
    shared_.judge.violated("S8", at, lease.value + " was given back before its work had ended");
  }
  if (!lease.told) shared_.judge.violated("T58", at, lease.value + " is over, and was not told to end");
  shared_.sharing.on_ended(*lease.session, at);
  leases_.erase(ended.lease);
}

void Client::on(const core::SessionRefused& refused) { take_note_of_answer(refused.session); }

// Whoever asks twice is refused once at least, and may be given it by the other.
bool Client::take_note_of_answer(const std::string& session) {
  const auto asked = by_hand_.find(session);
  if (asked == by_hand_.end()) return false;
  by_hand_.erase(asked);
  return true;
}

void Client::on(const core::FleetRefused&) { leaving_ = true; }

void Client::on(const core::FleetStopped&) {
  const TrueTime at = shared_.schedule.now();
  if (!leaving_) shared_.judge.violated("T58", at, owner_ + " has left the fleet, and was not told to");
  for (const auto& [id, lease] : leases_) {
    if (lease.session) shared_.judge.violated("L8", at, lease.value + " was not over when its fleet stopped");
  }
  std::vector<std::string> keys;
  for (const auto& [stamp, asked] : asked_) {
    if (asked.key.starts_with(fleet_prefix)) keys.push_back(asked.key);
  }
  for (const std::string& key : keys) expect_no_loose_ends(key);
  by_hand_.clear();
}

}  // namespace tenure::sim
