// The engine's part in a fleet: what the core says of it goes to its listener.
#include "core/base/check.hpp"
#include "core/base/overload.hpp"
#include "runtime/engine/engine.hpp"

namespace tenure::runtime {

bool Engine::join(core::FleetPlan plan, std::optional<DataNode> data,
                  std::shared_ptr<FleetListener> listener) {
  core::must(!forked(), "a Client is used by the process that made it: make one after fork()");
  core::must(plan.timing.ttl <= options_.keyspace.cap, "a fleet's leases are within the cap");
  const Hold hold(*this);
  if (closed_ || fleet_listener_) return false;
  // Its lines know the address by reference, and outlive one fleet.
  if (data && data_ && data->address != data_->address) return false;
  const core::Time now = boot_now();
  plan.data = data ? static_cast<core::NodeIndex>(options_.nodes.size()) : 0;
  if (data && !data_) data_ = data;
  plan.boot = random_.hex16();
  const std::string channel = redis::Keyspace::changes(plan.prefix);
  fleet_listener_ = std::move(listener);
  changes_.emplace(data ? data_->address : options_.nodes.front(), channel, data ? data_->tls : options_.tls);
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
    if (const auto found = leases_.find(lease); found != leases_.end()) found->second->deadline = over;
    agent_.session_drained(lease, now);
  });
}

std::vector<core::Member> Engine::members() {
  const Lock lock(mutex_);
  const core::Fleet* fleet = agent_.fleet();
  return fleet != nullptr ? fleet->members() : std::vector<core::Member>();
}

std::optional<std::string> Engine::preferred(const std::string& session) {
  const Lock lock(mutex_);
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
  auto lease = leases_.extract(ended.lease).mapped();
  lease->deadline = over;
  tell({Event::Kind::released, ended.key, lease->token, {}});
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
  changes_.reset();
  // The last word may let the last handle of this engine go, which is done elsewhere.
  run_for_user([listener = std::move(fleet_listener_)] {});
}

}  // namespace tenure::runtime
