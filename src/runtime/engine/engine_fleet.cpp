// The engine's part in a fleet: what the core says of it goes to its listener.
#include "core/base/check.hpp"
#include "core/base/overload.hpp"
#include "runtime/engine/change.hpp"
#include "runtime/instance_id.hpp"

namespace tenure::runtime {

bool Engine::join(core::FleetPlan plan, std::shared_ptr<Node> data, std::shared_ptr<FleetListener> listener) {
  core::must(!forked(), "a Client is used by the process that made it: make one after fork()");
  core::must(plan.timing.ttl <= terms_.cap, "a fleet's leases are within the cap");
  const Hold hold(reactor_);
  if (closed_ || fleet_listener_) return false;
  plan.data = data ? lines_.data_index() : 0;
  plan.boot = core::Random(random_from_kernel()).hex16();
  const core::Time now = boot_now();
  hear(lines_.begin_fleet(std::move(data), plan.prefix, now), now);
  meter_.on_joined();
  fleet_listener_ = std::move(listener);
  agent_.join(std::move(plan), now);
  perform(now);
  return true;
}

void Engine::leave(const FleetListener& of) {
  change([&](core::Time now) {
    if (fleet_listener_.get() == &of) agent_.leave(now);
  });
}

void Engine::share(const FleetListener& of, const std::vector<std::string>& sessions) {
  change([&](core::Time now) {
    if (fleet_listener_.get() == &of) agent_.share(sessions, now);
  });
}

void Engine::take(const FleetListener& of, const std::string& session) {
  change([&](core::Time now) {
    if (fleet_listener_.get() == &of) agent_.take_session(session, now);
  });
}

bool Engine::give_back(const FleetListener& of, const std::string& session) {
  bool ours = false;
  change([&](core::Time now) { ours = fleet_listener_.get() == &of && agent_.give_back(session, now); });
  return ours;
}

void Engine::session_drained(core::LeaseId lease) {
  change([&](core::Time now) {
    leases_.end(lease);
    agent_.session_drained(lease, now);
  });
}

std::vector<core::Member> Engine::members(const FleetListener& of) {
  const Hold hold(reactor_);
  const core::Fleet* fleet = agent_.fleet();
  if (fleet == nullptr || fleet_listener_.get() != &of) return {};
  return fleet->members();
}

std::optional<std::string> Engine::preferred(const FleetListener& of, const std::string& session) {
  const Hold hold(reactor_);
  const core::Fleet* fleet = agent_.fleet();
  if (fleet == nullptr || fleet_listener_.get() != &of) return std::nullopt;
  return fleet->preferred(session);
}

std::shared_ptr<LeaseState> Engine::on_session_taken(const core::SessionTaken& taken) {
  meter_.on_session_taken();
  return note_lease(taken.lease);
}

std::shared_ptr<LeaseState> Engine::on_session_ending(const core::SessionEnding& ending, core::Time now) {
  const auto& lease = leases_.at(ending.lease);
  meter_.on_ending(*lease, now);
  lease->extend(lease->noted, ending.deadline);
  // Nothing is told of its renewal any more.
  finish_extension(ending.lease, tl::unexpected(NotExtended{true, "it is being given back"}));
  return lease;
}

std::shared_ptr<LeaseState> Engine::on_session_ended(const core::SessionEnded& ended, core::Time now) {
  auto lease = leases_.take(ended.lease);
  meter_.on_ended(*lease, now);
  meter_.on_session_ended(ended.reason);
  teller_.tell({Event::Kind::released, ended.key, lease->token, {}});
  return lease;
}

void Engine::on_fleet(const core::FleetNotice& notice, core::Time now) {
  using Found = std::shared_ptr<LeaseState>;
  const auto lease = std::visit(core::Overload{
                                    [&](const core::SessionTaken& it) { return on_session_taken(it); },
                                    [&](const core::SessionEnding& it) { return on_session_ending(it, now); },
                                    [&](const core::SessionEnded& it) { return on_session_ended(it, now); },
                                    [](const core::SessionRefused&) { return Found(); },
                                    [](const core::InstancesChanged&) { return Found(); },
                                    [](const core::SessionsChanged&) { return Found(); },
                                    [](const core::FleetJoined&) { return Found(); },
                                    [](const core::FleetHindered&) { return Found(); },
                                    [](const core::FleetNotOpen&) { return Found(); },
                                    [](const core::FleetOpen&) { return Found(); },
                                    [](const core::FleetRefused&) { return Found(); },
                                    [](const core::FleetStopped&) { return Found(); },
                                },
                                notice);
  if (!std::holds_alternative<core::FleetStopped>(notice)) return fleet_listener_->hear(notice, lease);
  lines_.end_fleet();
  FleetListener& listener = *fleet_listener_;
  listener.on_stopped(std::move(fleet_listener_));
}

}  // namespace tenure::runtime
