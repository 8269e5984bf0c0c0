// The engine's part in elections: what the core says of them goes to their listeners.
#include "core/check.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine.hpp"
#include "runtime/loss_text.hpp"

namespace tenure::runtime {

bool Engine::start(core::ElectionPlan plan, std::shared_ptr<ElectionListener> listener) {
  core::must(!forked(), "a Client is used by the process that made it: make one after fork()");
  core::must(plan.timing.ttl <= options_.keyspace.cap, "an election's lease is within the cap");
  handlers_.make_thread();
  core::Actions actions;
  const Hold hold(*this);
  if (closed_) return false;
  const core::Time now = boot_now();
  const core::ElectionId id = elections_.start(std::move(plan), now, actions);
  listener->on_started(id);
  listeners_.emplace(id, std::move(listener));
  perform(actions, now);
  return true;
}

void Engine::stop(core::ElectionId election) {
  change([&](core::Time now, core::Actions& actions) { elections_.stop(election, now, actions); });
}

void Engine::step_down(core::ElectionId election) {
  change([&](core::Time, core::Actions& actions) { elections_.step_down(election, actions); });
}

void Engine::drained(core::ElectionId election, core::LeaseId term) {
  change([&](core::Time now, core::Actions& actions) {
    if (const auto lease = leases_.find(term); lease != leases_.end()) lease->second->deadline = over;
    elections_.drained(election, term, now, actions);
  });
}

// False when it concerns no election.
bool Engine::act_in_election(core::Action& action) {
  if (const auto* elected = std::get_if<core::Elected>(&action)) {
    listeners_.at(elected->election)->on_elected(note_lease(elected->term));
  } else if (const auto* ending = std::get_if<core::TermEnding>(&action)) {
    on_term_ending(*ending);
  } else if (const auto* overran = std::get_if<core::TermOverran>(&action)) {
    on_term_overran(*overran);
  } else if (const auto* ended = std::get_if<core::TermOver>(&action)) {
    on_term_over(*ended);
  } else if (const auto* changed = std::get_if<core::LeaderChanged>(&action)) {
    listeners_.at(changed->election)->on_leader_changed(*changed);
  } else if (const auto* hindered = std::get_if<core::CampaignHindered>(&action)) {
    listeners_.at(hindered->election)->on_hindered(hindered->refusal);
  } else if (const auto* stopped = std::get_if<core::ElectionStopped>(&action)) {
    // The last word may let the last handle of this engine go, which is done elsewhere.
    auto listener = listeners_.extract(stopped->election).mapped();
    listener->on_stopped();
    run_for_user([listener = std::move(listener)] {});
  } else {
    return false;
  }
  return true;
}

void Engine::on_term_ending(const core::TermEnding& ending) {
  const auto& lease = leases_.at(ending.lease);
  // Of a lease that was lost its handle knows by now; one that is given up is lost by this.
  if (!lease->loss.load()) {
    const bool of_own_will =
        ending.reason == core::LossReason::stopped || ending.reason == core::LossReason::stepped_down;
    lease->extend(lease->noted, ending.deadline);
    lease->loss = ending.reason;
    if (!of_own_will) tell(Event::Kind::lost, ending.lease, loss_text(ending.reason));
    losses_.post(lease->lost);
  }
  finish_extension(ending.lease, tl::unexpected(NotExtended{true, loss_text(ending.reason)}));
  listeners_.at(ending.election)->on_ending(ending);
}

void Engine::on_term_overran(const core::TermOverran& overran) {
  const auto& lease = leases_.at(overran.lease);
  const auto loss = lease->loss.load();
  // Whose key is gone had no time to end its work, and that was said.
  if (loss != core::LossReason::missing && loss != core::LossReason::taken) {
    log(tenant_.key_of(overran.lease) + ": the work of term " + std::to_string(lease->token) +
        " has not ended by its deadline; another may lead from now on");
  }
  listeners_.at(overran.election)->on_overran();
}

void Engine::on_term_over(const core::TermOver& ended) {
  const auto lease = leases_.extract(ended.lease);
  // Before its release leaves, whoever still has it in hand.
  lease.mapped()->deadline = over;
  if (ended.released) tell({Event::Kind::released, ended.key, lease.mapped()->token, {}});
}

}  // namespace tenure::runtime
