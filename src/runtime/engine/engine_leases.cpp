// What the core tells of leases and of clocks goes to whoever waits for a call, to handles, to the log and to the metrics.
#include <chrono>
#include <memory>
#include <utility>

#include "core/base/text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/engine/loss_text.hpp"

namespace tenure::runtime {

std::shared_ptr<LeaseState> Engine::note_lease(const core::Acquired& acquired) {
  teller_.tell({Event::Kind::acquired, acquired.key, acquired.token, {}});
  return leases_.add(acquired);
}

void Engine::on(const core::Acquired& acquired, core::Time now) {
  meter_.on_granted(now - calls_.began(acquired.acquire));
  calls_.end(acquired.acquire, note_lease(acquired));
}

void Engine::on(core::Refused& refused, core::Time) {
  meter_.on_refused(refused.refusal.code);
  calls_.end(refused.acquire, tl::unexpected(std::move(refused.refusal)));
}

void Engine::on(const core::Waiting& waiting, core::Time) { calls_.tell(waiting.acquire, waiting.refusal); }

void Engine::on(const core::Renewed& renewed, core::Time now) {
  // This thread was held up between the reply and here, past the old deadline, and the holder has looked.
  const auto& lease = leases_.at(renewed.lease);
  const core::Duration slack = lease->noted - now;
  if (!Leases::renew(*lease, renewed.deadline)) return agent_.give_up(renewed.lease, now);
  meter_.on_renewed(slack);
  if (lease->uncertain && lease->uncertain.exchange(false) && fleet_listener_)
    fleet_listener_->on_uncertain(lease, {});
  tell(Event::Kind::renewed, renewed.lease);
  if (renewed.extended) finish_extension(renewed.lease, renewed.deadline);
}

void Engine::on(const core::Lost& lost, core::Time) {
  tell_loss(lost.lease, lost.reason);
  meter_.on_lost(lost.reason);
  leases_.lose(*leases_.at(lost.lease), lost.reason, lost.deadline);
  finish_extension(lost.lease, tl::unexpected(NotExtended{true, loss_text(lost.reason)}));
}

void Engine::on(const core::Uncertain& uncertain, core::Time now) {
  const auto& lease = leases_.at(uncertain.lease);
  tell(Event::Kind::uncertain, uncertain.lease, uncertain.failure.detail);
  if (!lease->uncertain.exchange(true) && fleet_listener_) {
    fleet_listener_->on_uncertain(lease, uncertain.failure.detail);
  }
  finish_extension(uncertain.lease, tl::unexpected(NotExtended{false, uncertain.failure.detail}));
  const core::Duration left = lease->deadline.load() - now;
  if (!teller_.logs(log_event::lease_uncertain.level)) return;
  const std::string key = agent_.tenant().key_of(uncertain.lease);
  log(log_event::lease_uncertain,
      key + " is uncertain: its renewal failed (" + uncertain.failure.detail +
          "); trying again for another " + core::to_text(std::chrono::floor<std::chrono::milliseconds>(left)),
      {{"name", key}, {"token", lease->token}, {"detail", uncertain.failure.detail}});
}

void Engine::on(const core::ClockJumped& jumped, core::Time) {
  meter_.on_clock_jumped(jumped.node);
  const std::string node = lines_.node(jumped.node).name();
  const std::string by = "by " + core::to_text(std::chrono::round<std::chrono::milliseconds>(jumped.by));
  log(log_event::clock_jumped,
      node + ": its clock has jumped " + by + "; its grants do not count for " +
          core::to_text(jumped.distrusted_for),
      {{"node", node}});
  teller_.tell({Event::Kind::clock_jumped, node, 0, by});
}

void Engine::tell(Event::Kind kind, core::LeaseId lease, std::string detail) {
  if (!teller_.wanted(kind)) return;
  teller_.tell({kind, agent_.tenant().key_of(lease), leases_.at(lease)->token, std::move(detail)});
}

void Engine::tell_loss(core::LeaseId lease, core::LossReason reason) {
  if (!teller_.wanted(Event::Kind::lost)) return;
  teller_.tell(
      {Event::Kind::lost, agent_.tenant().key_of(lease), leases_.at(lease)->token, loss_text(reason)},
      std::string(loss_word(reason)));
}

void Engine::on(const core::Released& released, core::Time now) {
  const auto lease = leases_.at(released.lease);
  const bool failed = released.outcome == core::ReleaseOutcome::failed;
  lease->released = std::make_unique<core::Released>(released);
  lease->releasing = false;
  meter_.on_released(released.outcome);
  lease_idle_.notify_all();
  if (auto key = releasing_.extract(lease->id); key && !failed) {
    teller_.tell({Event::Kind::released, std::move(key.mapped()), lease->token, {}});
  }
  calls_.end(released);
  // Of one that failed this goes on: until the name must have lapsed.
  if (!lease->let_go) return;
  leaving_.erase(lease->id);
  forget(lease->id, now);
  begin_deferred(now);
}

void Engine::forget(core::LeaseId lease, core::Time now) {
  agent_.forget(lease, now);
  leases_.forget(lease);
}

}  // namespace tenure::runtime
