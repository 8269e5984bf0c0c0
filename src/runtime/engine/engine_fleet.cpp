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
  hear(lines_.begin_fleet(std::move(data), plan.prefix), now);
  fleet_listener_ = std::move(listener);
  agent_.join(std::move(plan), now);
  perform(now);
  return true;
}

void Engine::leave() {
  change([&](core::Time now) { agent_.leave(now); });
}

void Engine::share(const std::vector<std::string>& sessions) {
  change([&](core::Time now) { agent_.share(sessions, now); });
}

void Engine::take(const std::string& session) {
  change([&](core::Time now) { agent_.take_session(session, now); });
}

bool Engine::give_back(const std::string& session) {
  bool ours = false;
  change([&](core::Time now) { ours = agent_.give_back(session, now); });
  return ours;
}

void Engine::session_drained(core::LeaseId lease) {
  change([&](core::Time now) {
    leases_.end(lease);
    agent_.session_drained(lease, now);
  });
}

std::vector<core::Member> Engine::members() {
  const Hold hold(reactor_);
  const core::Fleet* fleet = agent_.fleet();
  return fleet != nullptr ? fleet->members() : std::vector<core::Member>();
}

std::optional<std::string> Engine::preferred(const std::string& session) {
  const Hold hold(reactor_);
  const core::Fleet* fleet = agent_.fleet();
  return fleet != nullptr ? fleet->preferred(session) : std::nullopt;
}

std::shared_ptr<LeaseState> Engine::on_session_ending(const core::SessionEnding& ending) {
  const auto& lease = leases_.at(ending.lease);
  lease->extend(lease->noted, ending.deadline);
  // Nothing is told of its renewal any more.
  finish_extension(ending.lease, tl::unexpected(NotExtended{true, "it is being given back"}));
  return lease;
}

std::shared_ptr<LeaseState> Engine::on_session_ended(const core::SessionEnded& ended) {
  auto lease = leases_.take(ended.lease);
  teller_.tell({Event::Kind::released, ended.key, lease->token, {}});
  return lease;
}

void Engine::on_fleet(const core::FleetNotice& notice) {
  using Found = std::shared_ptr<LeaseState>;
  const auto lease = std::visit(core::Overload{
                                    [this](const core::SessionTaken& it) { return note_lease(it.lease); },
                                    [this](const core::SessionEnding& it) { return on_session_ending(it); },
                                    [this](const core::SessionEnded& it) { return on_session_ended(it); },
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
  fleet_listener_->hear(notice, lease);
  if (!std::holds_alternative<core::FleetStopped>(notice)) return;
  lines_.end_fleet();
  // The last word may let the last handle of this engine go, which is done elsewhere.
  run_for_user([listener = std::move(fleet_listener_)] {});
}

}  // namespace tenure::runtime
