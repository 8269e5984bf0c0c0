// The client's other half: what it believes of its leases, told to the judge and compared with what was promised.
#include <algorithm>
#include <string>

#include "redis/grant_text.hpp"
#include "sim/world/client.hpp"

namespace tenure::sim {

void Client::on(const core::Acquired& acquired) {
  const auto wished = wished_.find(acquired.acquire);
  Believed lease{acquired.key, redis::value(acquired.grant, acquired.token), acquired.deadline,
                 setup_.timing};
  if (wished->second.hold_max) lease.ends = now() + *wished->second.hold_max;
  believe(acquired, std::move(lease), wished->second.began);
  expect_no_loose_ends(acquired.key);
  wished_.erase(wished);
  listener_.acquired(acquired);
}

void Client::believe(const core::Acquired& acquired, Believed lease, TrueTime began) {
  const TrueTime at = shared_.schedule.now();
  const auto asked = asked_.find(redis::stamp(acquired.grant));
  if (asked == asked_.end() || asked->second.granted.size() < setup_.quorum())
    shared_.judge.violated("S10", at,
                           redis::stamp(acquired.grant) + " is held without the answers of a majority");
  if (asked != asked_.end()) {
    if (setup_.nodes > 1) shared_.judge.on_won(asked->second.confirmed != 0);
    asked_.erase(asked);
  }
  shared_.trace.mix_text(lease.value);
  shared_.trace.event(at, "acquired", index_, acquired.token, [&] { return lease.key + " " + lease.value; });
  shared_.judge.on_belief(lease.key, lease.value, setup_.quorum(), at, clock_.when(lease.deadline));
  shared_.judge.on_acquired(lease.key, lease.value, began, at);
  leases_.emplace(acquired.lease, std::move(lease));
}

void Client::on(const core::Renewed& renewed) {
  Believed& lease = leases_.at(renewed.lease);
  if (lease.lost || lease.told || now() >= lease.deadline) {
    shared_.judge.violated("S6", shared_.schedule.now(), lease.value + " is held again after it was not");
  }
  lease.deadline = renewed.deadline;
  expect_grace(lease);
  lease.uncertain.reset();
  if (lease.election) shared_.terms.on_until(parts_.at(*lease.election).seat, clock_.when(lease.deadline));
  if (lease.deadline > lease.ends) {
    shared_.judge.violated("hold", shared_.schedule.now(), lease.value + " is held longer than was wished");
  }
  shared_.judge.on_belief(lease.key, lease.value, setup_.quorum(), shared_.schedule.now(),
                          clock_.when(lease.deadline));
}

void Client::on(const core::Lost& lost) {
  const TrueTime at = shared_.schedule.now();
  Believed& lease = leases_.at(lost.lease);
  shared_.trace.event(at, "lost", index_, static_cast<std::uint64_t>(lost.reason),
                      [&] { return lease.value; });
  if (lost.reason == core::LossReason::missing || lost.reason == core::LossReason::taken) {
    // Nobody deletes keys by hand here: while a client holds a lease, Redis must show it.
    if (now() < lease.deadline)
      shared_.judge.violated("S4", at, lease.value + " was gone while it was believed held");
  } else {
    if (is_late(lease.deadline - lease.timing.grace)) {
      shared_.judge.violated("S11", at,
                             lease.value + " was told to end later than its grace before the deadline");
    }
    const bool over = lost.reason == core::LossReason::over;
    if (over && lease.deadline < lease.ends) {
      shared_.judge.violated("hold", at, lease.value + " was not held as long as it may be");
    }
    if (!over) expect_no_false_loss(lease);
  }
  lease.lost = true;
  if (lost.deadline < lease.deadline) {
    lease.deadline = lost.deadline;
    end_belief(lease);
  }
  listener_.lost(lost);
}

bool Client::is_late(core::Time due) const {
  return now() > due + std::chrono::microseconds(1) && resumed_ < clock_.when(due);
}

// Once the node answers again, a renewal must come through long before the lease is lost (T19).
void Client::expect_no_false_loss(const Believed& lease) {
  if (setup_.nodes < shared_.plan.nodes)
    return;  // what is in the way is known of most nodes of the world only
  for (const std::size_t node : shared_.judge.hide_losses()) shared_.network.excuse_losses(node);
  const TrueTime at = shared_.schedule.now();
  const Duration recovery = lease.timing.ttl * 2 / 5 + shared_.plan.delay_usual * 20;
  if (shared_.network.last_trouble(index_) + recovery < at && resumed_ + recovery < at) {
    shared_.judge.violated("L5", at, lease.value + " was lost with nothing in its way");
  }
}

void Client::on(const core::Refused& refused) {
  const auto wished = wished_.find(refused.acquire);
  expect_no_loose_ends(wished->second.key);
  wished_.erase(wished);
  listener_.refused(refused);
}

void Client::on(const core::Released& released) {
  const bool let_go = leases_.at(released.lease).let_go;
  const bool failed = released.outcome == core::ReleaseOutcome::failed;
  if (let_go || !failed) leases_.erase(released.lease);
  if (!let_go) return listener_.released(released);
  if (failed) agent_.forget(released.lease, now());
}

// Where another grant of an acquisition that has ended might be, a release has been sent by now (S10).
void Client::look_for_loose_ends() {
  if (to_be_tied_.empty()) return;
  std::erase_if(asked_, [&](const auto& entry) {
    const auto& [stamp, asked] = entry;
    if (!to_be_tied_.contains(asked.key)) return false;
    if (!asked.unanswered.empty() || !asked.granted.empty()) {
      shared_.judge.violated("S10", shared_.schedule.now(),
                             stamp + " may be held, and was given up without a release");
    }
    return true;
  });
  to_be_tied_.clear();
}

void Client::end_belief(Believed& lease) {
  if (!lease.released) shared_.judge.on_disbelief(lease.key, lease.value, shared_.schedule.now());
}

}  // namespace tenure::sim
