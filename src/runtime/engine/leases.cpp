#include "runtime/engine/leases.hpp"

#include <utility>

#include "runtime/boot_clock.hpp"

namespace tenure::runtime {

bool LeaseState::held() {
  core::Time until = deadline;
  while (boot_now() >= until) {
    if (deadline.compare_exchange_weak(until, over)) return false;
  }
  return true;
}

std::shared_ptr<LeaseState> Leases::add(const core::Acquired& acquired) {
  auto lease = std::make_shared<LeaseState>();
  lease->id = acquired.lease;
  lease->token = acquired.token;
  lease->noted = acquired.deadline;
  lease->deadline = acquired.deadline;
  leases_.emplace(acquired.lease, lease);
  held_ += 1;
  return lease;
}

void Leases::uncount(LeaseState& lease) {
  if (std::exchange(lease.counted, false)) held_ -= 1;
}

void Leases::end(LeaseState& lease) {
  uncount(lease);
  lease.deadline = over;
}

void Leases::end(core::LeaseId id) {
  if (const auto found = leases_.find(id); found != leases_.end()) end(*found->second);
}

std::shared_ptr<LeaseState> Leases::take(core::LeaseId id) {
  auto lease = std::move(leases_.extract(id).mapped());
  end(*lease);
  return lease;
}

void Leases::forget(core::LeaseId id) {
  const auto lease = leases_.extract(id);
  if (!lease.empty()) uncount(*lease.mapped());
}

bool Leases::renew(LeaseState& lease, core::Time deadline) {
  if (!lease.extend(lease.noted, deadline)) return false;
  lease.noted = deadline;
  return true;
}

void Leases::lose(LeaseState& lease, core::LossReason reason, core::Time deadline) {
  uncount(lease);
  lease.extend(lease.noted, deadline);  // shorter, in fact
  lease.loss = reason;
  losses_.post(lease.lost);
}

}  // namespace tenure::runtime
