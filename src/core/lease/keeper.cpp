#include "core/lease/keeper.hpp"

#include <algorithm>
#include <utility>

#include "core/action.hpp"
#include "core/base/check.hpp"

namespace tenure::core {

namespace {

// Earlier by up to a tenth, so that processes that started together drift apart.
Time next_due(const Timing& timing, Time sent, Random& random) {
  return sent + random.between(timing.renew * 9 / 10, timing.renew);
}

const Failure gone{Applied::no, FailureCode::server,
                   "the lease is not there any more; trying to put it back"};

}  // namespace

Time Keeper::keep(NewLease lease, Time now, Random& random) {
  const BatchId batch_id = batch_for(lease.timing, lease.sent, random);
  Batch& batch = batches_.at(batch_id);
  Kept kept{.key = std::move(lease.key),
            .nonce = lease.nonce,
            .token = lease.token,
            .seats = Seats(nodes_),
            .ends = lease.ends,
            .batch = batch_id,
            .timing = batch.timing};
  for (const NodeIndex node : lease.nodes) kept.seats.arm(node, lease.sent);
  for (const Unanswered& it : lease.unanswered) {
    stragglers_.emplace(it.id, Straggler{lease.id, it.node, lease.sent});
  }
  const Time deadline = kept.deadline = deadline_of(kept);
  batch.first_loss = std::min(batch.first_loss, kept.deadline - lease.timing.grace);
  must(now < kept.deadline, "a lease is kept only while it is held");
  const auto [added, fresh] = leases_.emplace(lease.id, std::move(kept));
  must(fresh, "a lease is kept once");
  batch.leases.push_back(&*added);
  return deadline;
}

Time Keeper::deadline_of(const Kept& lease) {
  return std::min(lease.timing->deadline(lease.seats.quorum_armed()), lease.ends);
}

// In a batch of its own, which others may join later: nobody else's lease needs to be renewed for it.
bool Keeper::extend(LeaseId id, Time now, Outbox& out) {
  const auto found = leases_.find(id);
  if (found == leases_.end() || found->second.phase > Phase::uncertain) return false;
  Kept& lease = found->second;
  if (now >= lease.deadline) return false;
  leave_batch(id, lease.batch);
  lease.batch = ++last_batch_;
  Batch& batch = batches_[last_batch_];
  batch.timing = lease.timing;
  lease.extending = true;
  batch.leases.push_back(&*found);
  find_first_loss(batch);
  send(last_batch_, batch, now, out);
  return true;
}

// Joining a batch renews the newcomer early, which costs nothing; a batch of its own would cost a call.
Keeper::BatchId Keeper::batch_for(const Timing& timing, Time sent, Random& random) {
  for (auto& [id, batch] : batches_) {
    if (*batch.timing == timing && batch.leases.size() < batch_max_.leases &&
        batch.due <= sent + timing.renew)
      return id;
  }
  Batch& batch = batches_[++last_batch_];
  batch.timing = std::make_shared<const Timing>(timing);
  batch.due = next_due(timing, sent, random);
  return last_batch_;
}

void Keeper::let_go(LeaseId id) {
  const auto found = leases_.find(id);
  if (found == leases_.end() || found->second.phase == Phase::let_go) return;
  found->second.phase = Phase::let_go;
  leave_batch(id, found->second.batch);
}

void Keeper::leave_batch(LeaseId id, BatchId batch_id) {
  const auto batch = batches_.find(batch_id);
  std::erase_if(batch->second.leases, [&](const auto* it) { return it->first == id; });
  if (batch->second.leases.empty() && batch->second.unanswered == 0) batches_.erase(batch);
}

std::vector<RequestId> Keeper::take_stragglers(LeaseId id) {
  std::vector<RequestId> taken;
  std::erase_if(stragglers_, [&](const auto& entry) {
    if (entry.second.lease != id) return false;
    taken.push_back(entry.first);
    return true;
  });
  return taken;
}

void Keeper::forget(LeaseId id) {
  let_go(id);
  leases_.erase(id);
}

std::optional<Keeper::Known> Keeper::find(LeaseId id) const {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return std::nullopt;
  return Known{found->second.key, grant(found->second), *found->second.timing, found->second.deadline};
}

void Keeper::on_reply(RequestId request, const Reply& reply, Time now, Random& random, Outbox& out) {
  if (const auto straggler = stragglers_.extract(request)) {
    on_straggler(straggler.mapped(), reply, now, out);
    return;
  }
  const auto found = pending_.find(request);
  must(found != pending_.end(), "a reply belongs to a renewal that waits for it");
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  on_answers(pending, reply, now, random, out);
}

// A node that minted another token than the majority is told which it is: a renewal compares it. A lease that is over is
// left alone.
void Keeper::on_straggler(const Straggler& straggler, const Reply& reply, Time now, Outbox& out) {
  const auto found = leases_.find(straggler.lease);
  if (found == leases_.end() || found->second.phase > Phase::uncertain) return;
  Kept& lease = found->second;
  if (now >= lease.deadline) return;
  const auto* granted = std::get_if<Granted>(&reply);
  const auto* answers = std::get_if<KeyAnswers>(&reply);
  if (granted != nullptr && granted->token != lease.token) {
    const ConfirmRequest confirm{lease.key, grant(lease), lease.token};
    stragglers_.emplace(out.send(straggler.node, confirm, lease.timing->node_timeout), straggler);
  } else if (granted != nullptr || (answers != nullptr && *answers == KeyAnswers{KeyAnswer::done})) {
    lease.seats.arm(straggler.node, straggler.sent);
  }
}

void Keeper::on_timer(Time now, Random& random, Outbox& out) {
  for (auto it = pending_.begin(); it != pending_.end();) {
    if (now < it->second.ends_at) {
      ++it;
      continue;
    }
    const Pending pending = std::move(it->second);
    out.drop(pending.node, it->first);
    it = pending_.erase(it);
    on_answers(pending, silence, now, random, out);
  }
  for (auto& [id, batch] : batches_) {
    if (now >= batch.first_loss) lose_overdue(batch, now, out);
    if (now >= batch.due && batch.unanswered == 0) send(id, batch, now, out);
  }
}

std::optional<Time> Keeper::wake() const {
  Time first = Time::max();
  for (const auto& [id, pending] : pending_) first = std::min(first, pending.ends_at);
  for (const auto& [id, batch] : batches_) {
    first = std::min(first, batch.first_loss);
    if (batch.unanswered == 0) first = std::min(first, batch.due);
  }
  return first == Time::max() ? std::nullopt : std::optional(first);
}

void Keeper::send(BatchId id, Batch& batch, Time now, Outbox& out) {
  batch.sent = now;
  batch.failure.reset();
  for (NodeIndex node = 0; node < nodes_; ++node) send(id, batch, node, now, out);
  if (batch.unanswered == 0) batch.due = Time::max();  // all are lost, and wait for their handles to let go
}

void Keeper::add(Draft& draft, LeaseId id, const Kept& lease) const {
  draft.pending.leases.push_back(id);
  draft.items.push_back({lease.key, grant(lease), lease.token});
}

template <class Batched>
void Keeper::send_draft(Batched request, Draft draft, Batch& batch, Outbox& out) {
  if (draft.items.empty()) return;
  request.items = std::move(draft.items);
  const RequestId id = out.send(draft.pending.node, std::move(request), batch.timing->node_timeout);
  pending_.emplace(id, std::move(draft.pending));
  batch.unanswered += 1;
}

// Up to three requests: what the node has is renewed, what it has not is put back, and a lease by which a
// majority stands may be put back also where nothing was lost. Putting back renews what is there after all.
void Keeper::send(BatchId id, Batch& batch, NodeIndex node, Time now, Outbox& out) {
  const Timing& timing = *batch.timing;
  Draft renewed{.pending = {.batch = id, .node = node, .sent = now, .ends_at = now + timing.node_timeout}};
  Draft healed = renewed;
  healed.pending.reasserts = true;
  Draft put_back = healed;
  renewed.pending.leases.reserve(batch.leases.size());
  renewed.items.reserve(batch.leases.size());
  for (auto* const entry : batch.leases) {
    auto& [lease_id, lease] = *entry;
    if (lease.phase == Phase::lost) continue;
    lease.asked = true;
    const Time armed = lease.seats.armed(node);
    if (armed == long_ago) lease.seats.ask_again(node);
    const Time quorum_armed = lease.seats.quorum_armed();
    const bool stands = now < timing.deadline(quorum_armed);
    // A node that was silent when a majority renewed it may have let it lapse. To hear that first would take a round in
    // which it counts for nothing, and another node that is silent then would cost the lease.
    const bool lags = armed < quorum_armed;
    const bool renews = armed != long_ago && !(lags && stands);
    add(renews ? renewed : stands ? healed : put_back, lease_id, lease);
  }
  send_draft(RenewRequest{timing.ttl, {}}, std::move(renewed), batch, out);
  send_draft(ReassertRequest{timing.ttl, true, {}}, std::move(healed), batch, out);
  send_draft(ReassertRequest{timing.ttl, false, {}}, std::move(put_back), batch, out);
}

// A node has lost what it held. It is asked to take it back at once: other nodes may let us wait.
void Keeper::put_back(const Pending& after, Batch& batch, const std::vector<LeaseId>& leases, Time now,
                      Outbox& out) {
  const Timing& timing = *batch.timing;
  Draft healed{{after.batch, after.node, true, after.reasserts, now, now + timing.node_timeout, {}}};
  Draft put_back = healed;
  for (const LeaseId id : leases) {
    const auto found = leases_.find(id);
    if (found == leases_.end() || found->second.phase > Phase::uncertain) continue;
    const Kept& lease = found->second;
    if (now >= lease.deadline) continue;  // over: nobody holds it any more
    // What nodes had before this round proves nothing: somebody may be deleting it from all of them.
    const bool stands = lease.seats.quorum_armed() >= batch.sent;
    add(stands ? healed : put_back, id, lease);
  }
  send_draft(ReassertRequest{timing.ttl, true, {}}, std::move(healed), batch, out);
  send_draft(ReassertRequest{timing.ttl, false, {}}, std::move(put_back), batch, out);
}

void Keeper::on_answers(const Pending& pending, const Reply& reply, Time now, Random& random, Outbox& out) {
  const auto found = batches_.find(pending.batch);
  must(found != batches_.end(), "a batch waits for its renewals");
  Batch& batch = found->second;
  batch.unanswered -= 1;
  const auto* answers = std::get_if<KeyAnswers>(&reply);
  if (answers != nullptr && answers->size() == pending.leases.size()) {
    std::vector<LeaseId> gone_here;
    out.make_room(pending.leases.size());
    for (std::size_t i = 0; i < pending.leases.size(); ++i) {
      on_answer(pending.leases[i], pending, (*answers)[i], now, out);
      const KeyAnswer answer = (*answers)[i];
      if (answer == KeyAnswer::missing || answer == KeyAnswer::foreign)
        gone_here.push_back(pending.leases[i]);
      // Where nothing else went wrong: what it says is not true of the whole batch.
      if (answer == KeyAnswer::locked && !batch.failure) batch.failure = locked;
    }
    // Deleted, or forgotten by a node that has lost data? The node says when it is asked to take it back.
    if (!pending.reasserts) put_back(pending, batch, gone_here, now, out);
  } else if (const auto* failure = std::get_if<Failure>(&reply)) {
    batch.failure = *failure;
  } else if (std::holds_alternative<NotOpen>(reply)) {
    // Its record has changed since the connection was admitted, which it is again by now: once more.
    if (!pending.again) put_back(pending, batch, pending.leases, now, out);
  } else {
    batch.failure = misfit;
  }
  if (batch.unanswered > 0) return;
  if (batch.leases.empty()) {
    batches_.erase(found);
  } else {
    end_round(batch, now, random, out);
  }
}

void Keeper::on_answer(LeaseId id, const Pending& pending, KeyAnswer answer, Time now, Outbox& out) {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return;
  Kept& lease = found->second;
  if (lease.phase == Phase::lost || lease.phase == Phase::let_go) return;
  if (answer == KeyAnswer::locked) return;  // as if the node had not answered
  if (answer != KeyAnswer::done) {
    if (!pending.reasserts) {
      lease.seats.vacate(pending.node);
      return;
    }
    lease.seats.refuse(pending.node);
    if (lease.seats.hopeless()) {
      lose(id, lease, answer == KeyAnswer::missing ? LossReason::missing : LossReason::taken, now, out);
    }
    return;
  }
  // A reply that comes after the deadline revives nothing: held() has said no since (T40).
  if (now >= lease.deadline) {
    lose(id, lease, LossReason::not_renewed, lease.deadline, out);
    return;
  }
  lease.seats.arm(pending.node, pending.sent);
  const Time deadline = deadline_of(lease);
  const bool extended = lease.extending && lease.seats.quorum_armed() >= batches_.at(lease.batch).sent;
  // One that may not be held any longer does not move on, but is certain again.
  const bool certain =
      lease.phase == Phase::uncertain && lease.seats.quorum_armed() >= batches_.at(lease.batch).sent;
  if (deadline <= lease.deadline && !extended && !certain) return;
  lease.extending = lease.extending && !extended;
  lease.deadline = deadline;
  lease.phase = Phase::held;
  out.tell(Renewed{id, deadline, extended});
}

// All nodes have answered, or had their time.
void Keeper::end_round(Batch& batch, Time now, Random& random, Outbox& out) {
  bool all_renewed = true;
  // Until here it was too early, if anything: a deadline only moves on.
  batch.first_loss = Time::max();
  // A connection breaks first, and shows only later that the password is another by now.
  const bool another_reason = batch.failure && batch.told.insert(batch.failure->code).second;
  for (auto* const entry : batch.leases) {
    auto& [id, lease] = *entry;
    const bool asked = std::exchange(lease.asked, false);
    if (lease.phase != Phase::lost) {
      batch.first_loss = std::min(batch.first_loss, lease.deadline - batch.timing->grace);
    }
    if (!asked || lease.phase == Phase::lost || lease.seats.quorum_armed() >= batch.sent) continue;
    all_renewed = false;
    failed_renewals_ += 1;
    const bool awaited = std::exchange(lease.extending, false);
    if (lease.phase == Phase::uncertain && !awaited && !another_reason) continue;
    lease.phase = Phase::uncertain;
    out.tell(Uncertain{id, batch.failure.value_or(gone)});
  }
  if (all_renewed) {
    batch.failures = 0;
    batch.told.clear();
    batch.due = next_due(*batch.timing, batch.sent, random);
    if (batch.leases.size() == 1) join_others(batch);
    return;
  }
  batch.failures += 1;
  // Soon again, then less often, but never so seldom that a node that is back goes unnoticed.
  const Duration longest = std::min(batch.timing->node_timeout * (1U << std::min(batch.failures - 1, 4U)) / 4,
                                    batch.timing->renew / 2);
  batch.due = now + random.between(longest / 2, longest);
}

// A lease that was extended on its own goes with others again: a batch for each would cost a call for each.
void Keeper::join_others(Batch& alone) {
  auto* const entry = alone.leases.front();
  Kept& lease = entry->second;
  if (lease.phase == Phase::lost) return;
  for (auto& [batch_id, batch] : batches_) {
    if (&batch == &alone || *batch.timing != *alone.timing || batch.leases.size() >= batch_max_.leases)
      continue;
    if (batch.due > alone.sent + alone.timing->renew) continue;
    batch.leases.push_back(entry);
    batch.first_loss = std::min(batch.first_loss, lease.deadline - batch.timing->grace);
    batches_.erase(std::exchange(lease.batch, batch_id));
    return;
  }
}

void Keeper::lose_overdue(Batch& batch, Time now, Outbox& out) {
  for (auto* const entry : batch.leases) {
    auto& [id, lease] = *entry;
    if (lease.phase == Phase::lost || now < lease.deadline - batch.timing->grace) continue;
    lose(id, lease, lease.deadline < lease.ends ? LossReason::not_renewed : LossReason::over, lease.deadline,
         out);
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
  for (const auto* const entry : batch.leases) {
    const Kept& lease = entry->second;
    if (lease.phase == Phase::lost) continue;
    batch.first_loss = std::min(batch.first_loss, lease.deadline - batch.timing->grace);
  }
}

}  // namespace tenure::core
