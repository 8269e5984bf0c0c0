// The engine's part in elections: what the core says of them goes to their listeners.
#include "core/base/check.hpp"
#include "runtime/engine/change.hpp"
#include "runtime/engine/loss_text.hpp"

namespace tenure::runtime {

bool Engine::start(core::ElectionPlan plan, std::shared_ptr<ElectionListener> listener) {
  core::must(!forked(), "a Client is used by the process that made it: make one after fork()");
  core::must(plan.timing.ttl <= terms_.cap, "an election's lease is within the cap");
  handlers_.make_thread();
  const Hold hold(reactor_);
  if (closed_) return false;
  const core::Time now = boot_now();
  const std::string key = plan.key;
  const core::ElectionId id = agent_.start(std::move(plan), now);
  meter_.on_started(id, key);
  listener->on_started(id);
  listeners_.emplace(id, std::move(listener));
  perform(now);
  return true;
}

void Engine::stop(core::ElectionId election) {
  change([&](core::Time now) { agent_.stop(election, now); });
}

void Engine::step_down(core::ElectionId election) {
  change([&](core::Time now) { agent_.step_down(election, now); });
}

void Engine::drained(core::ElectionId election, core::LeaseId term) {
  change([&](core::Time now) {
    leases_.end(term);
    agent_.drained(election, term, now);
  });
}

void Engine::on(const core::Elected& elected, core::Time) {
  auto term = note_lease(elected.term);
  meter_.on_elected(elected.election, term);
  listeners_.at(elected.election)->on_elected(std::move(term));
}

void Engine::on(const core::LeaderChanged& changed, core::Time) {
  meter_.on_leader_changed(changed);
  listeners_.at(changed.election)->on_leader_changed(changed);
}

void Engine::on(const core::CampaignHindered& hindered, core::Time) {
  listeners_.at(hindered.election)->on_hindered(hindered.refusal);
}

void Engine::on(const core::ElectionStopped& stopped, core::Time) {
  meter_.on_stopped(stopped.election);
  // The last word may let the last handle of this engine go, which is done elsewhere.
  auto listener = listeners_.extract(stopped.election).mapped();
  listener->on_stopped();
  run_for_user([listener = std::move(listener)] {});
}

void Engine::on(const core::TermEnding& ending, core::Time now) {
  const auto& lease = leases_.at(ending.lease);
  meter_.on_ending(*lease, now);
  // Of a lease that was lost its handle knows by now; one that is given up is lost by this.
  if (!lease->loss.load()) {
    const bool of_own_will =
        ending.reason == core::LossReason::stopped || ending.reason == core::LossReason::stepped_down;
    if (!of_own_will) tell_loss(ending.lease, ending.reason);
    meter_.on_lost(ending.reason);
    leases_.lose(*lease, ending.reason, ending.deadline);
  }
  finish_extension(ending.lease, tl::unexpected(NotExtended{true, loss_text(ending.reason)}));
  listeners_.at(ending.election)->on_ending(ending);
}

void Engine::on(const core::TermOverran& overran, core::Time) {
  const auto& lease = leases_.at(overran.lease);
  const auto loss = lease->loss.load();
  // Whose key is gone had no time to end its work, and that was said.
  if (loss != core::LossReason::missing && loss != core::LossReason::taken) {
    const std::string key = agent_.tenant().key_of(overran.lease);
    log(log_event::term_overran,
        key + ": the work of term " + std::to_string(lease->token) +
            " has not ended by its deadline; another may lead from now on",
        {{"name", key}, {"token", lease->token}});
  }
  listeners_.at(overran.election)->on_overran();
}

void Engine::on(const core::TermOver& ended, core::Time now) {
  // Before its release leaves.
  const auto lease = leases_.take(ended.lease);
  meter_.on_ended(*lease, now);
  if (ended.released) teller_.tell({Event::Kind::released, ended.key, lease->token, {}});
}

}  // namespace tenure::runtime
