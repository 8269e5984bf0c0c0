// The engine's part in a fleet: what the core says of it goes to its listener.
#include "core/check.hpp"
#include "runtime/engine.hpp"

namespace tenure::runtime {

bool Engine::join(core::FleetPlan plan, std::optional<DataNode> data,
                  std::shared_ptr<FleetListener> listener) {
  core::must(!forked(), "a Client is used by the process that made it: make one after fork()");
  core::must(plan.timing.ttl <= options_.keyspace.cap, "a fleet's leases are within the cap");
  core::Actions actions;
  const Hold hold(*this);
  if (closed_ || fleet_) return false;
  // Its lines know the address by reference, and outlive one fleet.
  if (data && data_ && data->address != data_->address) return false;
  const core::Time now = boot_now();
  plan.data = data ? static_cast<core::NodeIndex>(options_.nodes.size()) : 0;
  if (data && !data_) data_ = data;
  plan.boot = random_.hex16();
  const std::string channel = redis::Keyspace::changes(plan.prefix);
  fleet_listener_ = std::move(listener);
  fleet_.emplace(std::move(plan), tenant_,
                 core::Random({random_.next(), random_.next(), random_.next(), random_.next()}));
  changes_.emplace(data ? data_->address : options_.nodes.front(), channel, data ? data_->tls : options_.tls);
  fleet_->start(now);
  fleet_->on_timer(now, actions);
  perform(actions, now);
  return true;
}

void Engine::leave() {
  change([&](core::Time now, core::Actions& actions) {
    if (fleet_) fleet_->stop(now, actions);
  });
}

void Engine::share(const std::vector<std::string>& sessions) {
  change([&](core::Time now, core::Actions& actions) {
    if (fleet_) fleet_->share(sessions, now, actions);
  });
}

void Engine::take(const std::string& session) {
  change([&](core::Time now, core::Actions& actions) {
    if (fleet_) fleet_->take(session, now, actions);
  });
}

bool Engine::give_back(const std::string& session) {
  bool ours = false;
  change([&](core::Time now, core::Actions& actions) {
    ours = fleet_ && fleet_->give_back(session, now, actions);
  });
  return ours;
}

void Engine::session_drained(core::LeaseId lease) {
  change([&](core::Time now, core::Actions& actions) {
    if (const auto found = leases_.find(lease); found != leases_.end()) found->second->deadline = over;
    if (fleet_) fleet_->drained(lease, now, actions);
  });
}

std::vector<core::Member> Engine::members() {
  const Lock lock(mutex_);
  return fleet_ ? fleet_->members() : std::vector<core::Member>();
}

std::optional<std::string> Engine::preferred(const std::string& session) {
  const Lock lock(mutex_);
  return fleet_ ? fleet_->preferred(session) : std::nullopt;
}

void Engine::hear_changes(const std::vector<std::string>& messages, core::Time now, core::Actions& actions) {
  for (const auto& message : messages) {
    if (fleet_) fleet_->on_change(message, now, actions);
  }
}

void Engine::tell_fleet(const core::Action& news, core::LeaseId lease) {
  if (fleet_listener_) fleet_listener_->hear(news, leases_.at(lease));
}

void Engine::act_in_fleet(const core::Action& action) {
  if (!fleet_listener_) return;  // what was seen for an election that has stopped meanwhile
  std::shared_ptr<LeaseState> lease;
  if (const auto* taken = std::get_if<core::SessionTaken>(&action)) {
    lease = note_lease(taken->lease);
  } else if (const auto* ending = std::get_if<core::SessionEnding>(&action)) {
    lease = leases_.at(ending->lease);
    lease->extend(lease->noted, ending->deadline);
    // Nothing is told of its renewal any more.
    finish_extension(ending->lease, tl::unexpected(NotExtended{true, "it is being given back"}));
  } else if (const auto* ended = std::get_if<core::SessionEnded>(&action)) {
    lease = leases_.extract(ended->lease).mapped();
    lease->deadline = over;
    tell({Event::Kind::released, ended->key, lease->token, {}});
  }
  fleet_listener_->hear(action, lease);
}

void Engine::end_fleet_if_stopped() {
  if (!fleet_ || !fleet_->stopped()) return;
  fleet_.reset();
  changes_.reset();
  // The last word may let the last handle of this engine go, which is done elsewhere.
  run_for_user([listener = std::move(fleet_listener_)] {});
}

}  // namespace tenure::runtime
