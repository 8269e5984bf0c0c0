#include "core/keeper.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/check.hpp"

namespace tenure::core {

namespace {

// Earlier by up to a tenth, so that processes that started together drift apart.
Time next_due(const Timing& timing, Time sent, Random& random) {
  return sent + random.between(timing.renew * 9 / 10, timing.renew);
}

}  // namespace

void Keeper::keep(NewLease lease, Time now, Random& random) {
  const Timing& timing = lease.timing;
  Kept kept{std::move(lease.key), std::move(lease.value), std::vector<Time>(nodes_, long_ago), {}, 0, {}};
  for (const NodeIndex node : lease.nodes) kept.armed.at(node) = lease.sent;
  kept.deadline = timing.deadline(quorum_armed(kept));
  kept.batch = batch_for(timing, lease.sent, random);
  Batch& batch = batches_.at(kept.batch);
  batch.leases.push_back(lease.id);
  batch.first_loss = std::min(batch.first_loss, kept.deadline - timing.grace);
  must(now < kept.deadline, "a lease is kept only while it is held");
  must(leases_.emplace(lease.id, std::move(kept)).second, "a lease is kept once");
}

// Joining a batch renews the newcomer early, which costs nothing; a batch of its own would cost a call.
Keeper::BatchId Keeper::batch_for(const Timing& timing, Time sent, Random& random) {
  for (auto& [id, batch] : batches_) {
    if (batch.timing == timing && batch.leases.size() < batch_size_max && batch.due <= sent + timing.renew)
      return id;
  }
  Batch& batch = batches_[++last_batch_];
  batch.timing = timing;
  batch.due = next_due(timing, sent, random);
  return last_batch_;
}

void Keeper::let_go(LeaseId id) {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return;
  const auto batch = batches_.find(found->second.batch);
  std::erase(batch->second.leases, id);
  leases_.erase(found);
  if (batch->second.leases.empty() && batch->second.flights == 0) batches_.erase(batch);
}

void Keeper::on_reply(RequestId request, const Reply& reply, Time now, Random& random, Outbox& out) {
  const auto found = flights_.find(request);
  must(found != flights_.end(), "a reply belongs to a renewal that waits for it");
  const Flight flight = std::move(found->second);
  flights_.erase(found);
  land(flight, reply, now, random, out);
}

void Keeper::on_timer(Time now, Random& random, Outbox& out) {
  for (auto it = flights_.begin(); it != flights_.end();) {
    if (now < it->second.ends_at) {
      ++it;
      continue;
    }
    const Flight flight = std::move(it->second);
    out.drop(flight.node, it->first);
    it = flights_.erase(it);
    land(flight, silence, now, random, out);
  }
  for (auto& [id, batch] : batches_) {
    if (now >= batch.first_loss) lose_overdue(batch, now, out);
    if (now >= batch.due && batch.flights == 0) send(id, batch, now, out);
  }
}

std::optional<Time> Keeper::wake() const {
  Time first = Time::max();
  for (const auto& [id, flight] : flights_) first = std::min(first, flight.ends_at);
  for (const auto& [id, batch] : batches_) {
    first = std::min(first, batch.first_loss);
    if (batch.flights == 0) first = std::min(first, batch.due);
  }
  return first == Time::max() ? std::nullopt : std::optional(first);
}

void Keeper::send(BatchId id, Batch& batch, Time now, Outbox& out) {
  RenewRequest request{batch.timing.ttl, {}};
  std::vector<LeaseId> renewed;
  for (const LeaseId lease_id : batch.leases) {
    const Kept& lease = leases_.at(lease_id);
    if (lease.phase == Phase::lost) continue;
    request.items.push_back({lease.key, lease.value});
    renewed.push_back(lease_id);
  }
  if (renewed.empty()) {  // all are lost, and wait only for their handles to let go
    batch.due = Time::max();
    return;
  }
  for (NodeIndex node = 0; node < nodes_; ++node) {
    const RequestId request_id = out.send(node, request, batch.timing.node_timeout);
    flights_.emplace(request_id, Flight{id, node, now, now + batch.timing.node_timeout, renewed});
    batch.flights += 1;
  }
}

void Keeper::land(const Flight& flight, const Reply& reply, Time now, Random& random, Outbox& out) {
  const auto found = batches_.find(flight.batch);
  must(found != batches_.end(), "a batch outlives its renewals");
  Batch& batch = found->second;
  batch.flights -= 1;
  const auto* answers = std::get_if<KeyAnswers>(&reply);
  if (answers != nullptr && answers->size() == flight.leases.size()) {
    for (std::size_t i = 0; i < answers->size(); ++i) {
      on_answer(flight.leases[i], flight, (*answers)[i], now, out);
    }
  } else {
    const auto* given = std::get_if<Failure>(&reply);
    const Failure& failure = given != nullptr ? *given : misfit;
    for (const LeaseId id : flight.leases) on_failure(id, failure, out);
  }
  if (batch.leases.empty()) {
    if (batch.flights == 0) batches_.erase(found);
    return;
  }
  if (batch.flights == 0) {
    // Only those that were asked about: one that joined meanwhile is no reason for a hasty repeat.
    const bool all_renewed = std::ranges::all_of(flight.leases, [&](LeaseId id) {
      const auto lease = leases_.find(id);
      return lease == leases_.end() || lease->second.phase == Phase::lost ||
             quorum_armed(lease->second) >= flight.sent;
    });
    schedule(batch, flight.sent, all_renewed, now, random);
  }
  find_first_loss(batch);
}

void Keeper::on_answer(LeaseId id, const Flight& flight, KeyAnswer answer, Time now, Outbox& out) {
  const auto found = leases_.find(id);
  if (found == leases_.end() || found->second.phase == Phase::lost) return;
  Kept& lease = found->second;
  const Timing& timing = batches_.at(lease.batch).timing;
  if (answer != KeyAnswer::done) {
    lease.armed[flight.node] = long_ago;
    if (quorum_armed(lease) == long_ago) {
      lose(id, lease, answer == KeyAnswer::missing ? LossReason::missing : LossReason::taken, now, out);
    }
    return;
  }
  // A reply that comes after the deadline revives nothing: held() has said no since (T40).
  if (now >= lease.deadline) {
    lose(id, lease, LossReason::not_renewed, lease.deadline, out);
    return;
  }
  lease.armed[flight.node] = std::max(lease.armed[flight.node], flight.sent);
  const Time deadline = timing.deadline(quorum_armed(lease));
  if (deadline <= lease.deadline) return;
  lease.deadline = deadline;
  lease.phase = Phase::held;
  out.tell(Renewed{id, deadline});
}

void Keeper::on_failure(LeaseId id, const Failure& failure, Outbox& out) {
  const auto found = leases_.find(id);
  if (found == leases_.end() || found->second.phase != Phase::held) return;
  found->second.phase = Phase::uncertain;
  out.tell(Uncertain{id, failure});
}

void Keeper::schedule(Batch& batch, Time sent, bool all_renewed, Time now, Random& random) {
  if (all_renewed) {
    batch.failures = 0;
    batch.due = next_due(batch.timing, sent, random);
    return;
  }
  // Soon again, then less often, but never so seldom that a node that is back goes unnoticed.
  const Duration longest =
      std::min(batch.timing.node_timeout * (1U << std::min(batch.failures, 4U)) / 4, batch.timing.renew / 2);
  batch.failures += 1;
  batch.due = now + random.between(longest / 2, longest);
}

void Keeper::lose_overdue(Batch& batch, Time now, Outbox& out) {
  for (const LeaseId id : batch.leases) {
    Kept& lease = leases_.at(id);
    if (lease.phase == Phase::lost || now < lease.deadline - batch.timing.grace) continue;
    lose(id, lease, LossReason::not_renewed, lease.deadline, out);
  }
  find_first_loss(batch);
}

void Keeper::lose(LeaseId id, Kept& lease, LossReason reason, Time deadline, Outbox& out) {
  lease.phase = Phase::lost;
  lease.deadline = std::min(lease.deadline, deadline);
  out.tell(Lost{id, reason, lease.deadline});
}

void Keeper::find_first_loss(Batch& batch) {
  batch.first_loss = Time::max();
  for (const LeaseId id : batch.leases) {
    const Kept& lease = leases_.at(id);
    if (lease.phase == Phase::lost) continue;
    batch.first_loss = std::min(batch.first_loss, lease.deadline - batch.timing.grace);
  }
}

// The time since which a majority of the configured nodes has it: the last of the best half.
Time Keeper::quorum_armed(const Kept& lease) const {
  if (nodes_ == 1) return lease.armed[0];
  std::vector<Time> armed = lease.armed;
  std::ranges::nth_element(armed, armed.begin() + static_cast<std::ptrdiff_t>(nodes_ / 2), std::greater<>());
  return armed[nodes_ / 2];
}

}  // namespace tenure::core
