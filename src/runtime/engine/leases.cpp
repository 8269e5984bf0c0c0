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
  return lease;
}

void Leases::end(core::LeaseId id) {
  if (const auto found = leases_.find(id); found != leases_.end()) found->second->deadline = over;
}

std::shared_ptr<LeaseState> Leases::take(core::LeaseId id) {
  auto lease = std::move(leases_.extract(id).mapped());
  lease->deadline = over;
  return lease;
}

bool Leases::renew(core::LeaseId id, core::Time deadline) {
  LeaseState& lease = *leases_.at(id);
  if (!lease.extend(lease.noted, deadline)) return false;
  lease.noted = deadline;
  return true;
}

void Leases::lose(LeaseState& lease, core::LossReason reason, core::Time deadline) {
  lease.extend(lease.noted, deadline);  // shorter, in fact
  lease.loss = reason;
  losses_.post(lease.lost);
}

}  // namespace tenure::runtime
