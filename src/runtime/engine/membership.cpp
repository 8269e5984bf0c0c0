#include "runtime/engine/membership.hpp"

#include <system_error>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/overload.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/thrown.hpp"
#include "runtime/public_time.hpp"

namespace tenure::runtime {

namespace {

using Kind = FleetEvent::Kind;
using Why = NotJoined::Why;

SessionEnd to_public(core::EndReason reason) {
  switch (reason) {
    case core::EndReason::rebalance:
      return SessionEnd::rebalance;
    case core::EndReason::removed:
      return SessionEnd::removed;
    case core::EndReason::given_back:
      return SessionEnd::released;
    case core::EndReason::stopped:
      return SessionEnd::stopped;
    case core::EndReason::not_renewed:
      return SessionEnd::not_renewed;
    case core::EndReason::missing:
      return SessionEnd::missing;
    case core::EndReason::taken:
      return SessionEnd::taken;
    case core::EndReason::closed:
      break;
  }
  return SessionEnd::closed;
}

}  // namespace

// In a child its thread is not there, and nobody can wait for it.
Membership::~Membership() {
  if (!engine_->forked()) return;
  [[maybe_unused]] const auto* left = events_.release();
}

tl::expected<void, NotJoined> Membership::start(const std::shared_ptr<Membership>& self) {
  const auto begun = begin(self);
  if (!begun) return tl::unexpected(NotJoined{.why = begun.error()});
  Lock lock(mutex_);
  changed_.wait(lock, [this] { return joined_ || why_not_ || !running_; });
  if (joined_ && !stopping_) {
    lock.unlock();
    if (begun->by_us) share_what_is_known(begun->run);
    return {};
  }
  auto why_not = why_not_.value_or(NotJoined{.why = engine_->closed() ? Why::closed : Why::stopped});
  // Whoever could not join leaves, or would join later after all. From here on nobody else can count on this run; one that
  // another has begun since is not ours to end.
  const bool ours = begun->by_us && started_ == begun->run;
  if (ours) stopping_ = running_;
  lock.unlock();
  if (ours) stop(begun->run, {});
  return tl::unexpected(std::move(why_not));
}

tl::expected<Membership::Begun, NotJoined::Why> Membership::begin(const std::shared_ptr<Membership>& self) {
  try {
    events_->make_thread();
  } catch (const std::system_error& error) {
    engine_->log(
        log_event::no_thread,
        "the instance " + engine_->owner() + ": no thread for the handler of its fleet: " + error.what(),
        {{"detail", error.what()}});
    return tl::unexpected(Why::no_thread);
  }
  const std::lock_guard sharing(sharing_);
  Lock lock(mutex_);
  if (running_ && stopping_) return tl::unexpected(Why::still_stopping);
  if (running_) return Begun{started_, false};
  running_ = true;
  stopping_ = false;
  const Run run = ++started_;
  joined_ = false;
  why_not_.reset();
  lock.unlock();
  if (engine_->join(plan_, data_, self)) return Begun{run, true};
  lock.lock();
  running_ = false;
  changed_.notify_all();
  return tl::unexpected(engine_->closed() ? Why::closed : Why::other_fleet);
}

// What was shared before the start waits until it has joined: to take in very many sessions takes so long that the first
// heartbeat could time out meanwhile.
void Membership::share_what_is_known(Run run) {
  // What is shared meanwhile must neither get lost nor be overtaken by what was shared before.
  const std::lock_guard sharing(sharing_);
  Lock lock(mutex_);
  if (started_ != run || !shared_) return;
  const auto sessions = *shared_;
  lock.unlock();
  engine_->share(*this, sessions);
}

bool Membership::stop(const std::stop_token& give_up) { return stop(std::nullopt, give_up); }

bool Membership::stop(std::optional<Run> only, const std::stop_token& give_up) {
  if (engine_->forked()) return true;
  std::unique_lock sharing(sharing_);  // another thread may be in the middle of start()
  Lock lock(mutex_);
  const Run mine = started_;
  if (only && *only != mine) return true;
  stopping_ = running_;
  lock.unlock();
  engine_->leave(*this);
  sharing.unlock();
  lock.lock();
  // Whoever must return first cannot wait for it.
  if (teller_ == std::this_thread::get_id()) return false;
  // Whoever starts it again may be quicker than we are.
  return changed_.wait(lock, give_up, [&] { return started_ != mine || (!running_ && untold_ == 0); });
}

void Membership::fall_silent() {
  if (engine_->forked()) return;
  Lock lock(mutex_);
  // Whoever waits keeps this alive. Whoever cannot wait may let it go before the last word.
  const auto self = teller_ == std::this_thread::get_id() ? shared_from_this() : nullptr;
  lock.unlock();
  events_->post(
      [this, self] {
        handler = {};
        const Lock held(mutex_);
        silent_ = true;
        changed_.notify_all();
      },
      CallbackExecutor::Kind::must_arrive);
  lock.lock();
  changed_.wait(lock, [&] { return silent_ || self; });
}

bool Membership::give_back(const std::string& session) { return engine_->give_back(*this, session); }

std::vector<core::Member> Membership::members() const { return engine_->members(*this); }

std::optional<std::string> Membership::preferred(const std::string& session) const {
  return engine_->preferred(*this, session);
}

void Membership::share(std::vector<std::string> sessions) {
  const std::lock_guard sharing(sharing_);
  Lock lock(mutex_);
  shared_ = sessions;
  const bool running = running_;
  lock.unlock();
  if (running) engine_->share(*this, sessions);
}

void Membership::ended(const std::string& session, core::Token token) {
  Lock lock(mutex_);
  const auto found = owned_.find(session);
  if (found == owned_.end() || !found->second.ending || found->second.lease->token != token) return;
  const core::LeaseId lease = found->second.lease->id;
  lock.unlock();
  engine_->session_drained(lease);
}

tl::expected<SessionLease, NotTaken> Membership::take(const std::string& session) {
  const auto refused = [](core::RefusalCode code) {
    return tl::unexpected(NotTaken{.refusal = core::Refusal{.code = code}});
  };
  Lock lock(mutex_);
  if (const Owned* ours = find(session)) {
    if (ours->usable()) return lease_of(session, *ours);
    return tl::unexpected(NotTaken{.ours = lease_of(session, *ours)});
  }
  if (!running_) return tl::unexpected(NotTaken{});
  auto& hand = hands_[session];
  const bool first = !hand;
  if (first) hand = std::make_shared<Hand>();
  const auto mine = hand;
  lock.unlock();
  if (first) engine_->take(*this, session);
  lock.lock();
  changed_.wait(lock, [&] { return mine->done || !running_; });
  if (mine->refusal) return tl::unexpected(NotTaken{.refusal = mine->refusal});
  if (!mine->done) return refused(core::RefusalCode::cancelled);
  const Owned* ours = find(session);
  if (ours == nullptr) return refused(core::RefusalCode::too_slow);  // it was ours, for less than a moment
  return lease_of(session, *ours);
}

const Membership::Owned* Membership::find(const std::string& session) const {
  const auto found = owned_.find(session);
  return found == owned_.end() ? nullptr : &found->second;
}

bool Membership::owned(const std::string& session) const {
  const Lock lock(mutex_);
  const Owned* ours = find(session);
  return ours != nullptr && ours->usable();
}

bool Membership::uncertain(const std::string& session) const {
  const Lock lock(mutex_);
  const Owned* ours = find(session);
  return ours != nullptr && !ours->ending && ours->lease->uncertain;
}

bool Membership::owned_strictly(const std::string& session) {
  Lock lock(mutex_);
  const Owned* ours = find(session);
  if (ours == nullptr || !ours->usable()) return false;
  const auto lease = ours->lease;
  lock.unlock();
  return engine_->extend(*lease).has_value() && lease->held();
}

std::vector<std::string> Membership::all_owned() const {
  const Lock lock(mutex_);
  std::vector<std::string> sessions;
  for (const auto& [session, ours] : owned_) {
    if (!ours.ending && ours.lease->held()) sessions.push_back(session);
  }
  return sessions;
}

std::optional<SessionLease> Membership::lease_of(const std::string& session) const {
  const Lock lock(mutex_);
  const Owned* ours = find(session);
  if (ours == nullptr) return std::nullopt;
  return lease_of(session, *ours);
}

SessionLease Membership::lease_of(const std::string& session, const Owned& owned) const {
  return {session,          owned.key,          owned.value,
          engine_->owner(), owned.lease->token, to_public(owned.lease->deadline.load())};
}

// On whatever thread drives the engine: takes note, and returns.
void Membership::hear(const core::FleetNotice& notice, const std::shared_ptr<LeaseState>& lease) {
  const Lock lock(mutex_);
  std::visit(core::Overload{
                 [&](const core::SessionTaken& it) { on_taken(it, lease); },
                 [&](const core::SessionRefused& it) { finish(it.session, it.refusal); },
                 [&](const core::SessionEnding& it) { on_ending(it, *lease); },
                 [&](const core::SessionEnded& it) { on_ended(it, *lease); },
                 [&](const core::InstancesChanged&) { tell({.kind = Kind::instances}); },
                 [&](const core::SessionsChanged&) { tell({.kind = Kind::sessions}); },
                 [&](const core::FleetJoined&) { joined_ = true; },
                 [&](const core::FleetHindered& it) { on_hindered(it); },
                 [&](const core::FleetNotOpen& it) { on_not_open(it); },
                 [&](const core::FleetOpen&) { tell({.kind = Kind::open}); },
                 [&](const core::FleetRefused& it) { on_id_taken(it); },
                 [](const core::FleetStopped&) {},  // on_stopped() hears of it
             },
             notice);
  changed_.notify_all();
}

// A lease of this client that is none of the fleet's is of no interest.
void Membership::on_uncertain(const std::shared_ptr<LeaseState>& lease,
                              const std::optional<std::string>& why) {
  const Lock lock(mutex_);
  const auto session = sessions_.find(lease->id);
  if (session == sessions_.end()) return;
  tell({.kind = why ? Kind::uncertain : Kind::certain,
        .session = session->second,
        .token = lease->token,
        .detail = why.value_or("")});
}

void Membership::on_taken(const core::SessionTaken& taken, const std::shared_ptr<LeaseState>& lease) {
  const core::Acquired& grant = taken.lease;
  owned_[taken.session] = {lease, grant.key, engine_->shown(grant.grant, grant.token)};
  sessions_[grant.lease] = taken.session;
  finish(taken.session, std::nullopt);
  tell({.kind = Kind::acquired,
        .session = taken.session,
        .token = grant.token,
        .deadline = to_public(grant.deadline)});
}

void Membership::on_ending(const core::SessionEnding& ending, const LeaseState& lease) {
  owned_.at(ending.session).ending = true;
  tell({.kind = Kind::ending,
        .session = ending.session,
        .token = lease.token,
        .reason = to_public(ending.reason),
        .deadline = to_public(ending.deadline)});
}

void Membership::on_ended(const core::SessionEnded& ended, const LeaseState& lease) {
  owned_.erase(ended.session);
  sessions_.erase(ended.lease);
  tell({.kind = Kind::ended,
        .session = ended.session,
        .token = lease.token,
        .reason = to_public(ended.reason)});
}

// Who has not joined yet is told by start().
void Membership::on_hindered(const core::FleetHindered& hindered) {
  if (!joined_) {
    why_not_ = NotJoined{.failure = hindered.failure};
  } else {
    engine_->log(log_event::fleet_hindered,
                 "the instance " + engine_->owner() + " cannot see the others: " + hindered.failure.detail +
                     "; it keeps what it has, and tries again",
                 {{"detail", hindered.failure.detail}});
  }
}

void Membership::on_id_taken(const core::FleetRefused& refused) {
  why_not_ = NotJoined{.taken = refused.taken};
  if (joined_) {
    stopping_ = true;
    engine_->log(log_event::id_taken, "another process lives under the id " + engine_->owner() +
                                          " by now; this one leaves the fleet, and gives back what it has");
  }
}

void Membership::on_stopped(std::shared_ptr<FleetListener> self) {
  const Lock lock(mutex_);
  running_ = false;
  while (!hands_.empty()) {
    finish(hands_.begin()->first, core::Refusal{.code = core::RefusalCode::cancelled});
  }
  // Before stop() can return, and so before fall_silent(), which waits for what was posted here.
  events_->post([self = std::move(self)] {}, CallbackExecutor::Kind::must_arrive);
  changed_.notify_all();
}

void Membership::on_not_open(const core::FleetNotOpen& not_open) {
  std::optional<core::Duration> opens_in;
  if (not_open.opens_by) opens_in = *not_open.opens_by - boot_now();
  FleetEvent event = describe_(not_open.refusal, opens_in);
  if (not_open.opens_by) event.deadline = to_public(*not_open.opens_by);
  tell(std::move(event));
}

void Membership::finish(const std::string& session, std::optional<core::Refusal> refusal) {
  const auto hand = hands_.extract(std::string(session));  // the name may be the map's own
  if (hand.empty()) return;
  hand.mapped()->done = true;
  hand.mapped()->refusal = std::move(refusal);
}

void Membership::tell(FleetEvent event) {
  untold_ += 1;
  events_->post(
      [this, self = shared_from_this(), event = std::move(event)] {
        {
          const Lock lock(mutex_);
          teller_ = std::this_thread::get_id();
        }
        if (handler) {
          if (const auto thrown = thrown_by(handler, event)) {
            engine_->log(log_event::callback_threw, "the handler of a fleet has thrown" + *thrown,
                         {{"callback", "on_event"}});
          }
        }
        // With nobody who works on it, the work has ended.
        if (!handler && event.kind == Kind::ending) ended(event.session, event.token);
        const Lock lock(mutex_);
        teller_.reset();
        untold_ -= 1;
        changed_.notify_all();
      },
      CallbackExecutor::Kind::must_arrive);
}

}  // namespace tenure::runtime
