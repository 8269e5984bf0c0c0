#include "core/tenant.hpp"

#include <algorithm>
#include <utility>

namespace tenure::core {

namespace {

constexpr auto acquisition = Sender::Kind::acquisition;
constexpr auto release_kind = Sender::Kind::release;

std::vector<NodeIndex> all_nodes(std::size_t count) {
  std::vector<NodeIndex> nodes(count);
  for (NodeIndex node = 0; node < count; ++node) nodes[node] = node;
  return nodes;
}

}  // namespace

Tenant::Tenant(Config config, Random random)
    : config_(std::move(config)), random_(random), keeper_(config_.nodes) {
  must(!config_.owner.empty(), "a tenant has an owner id");
  must(config_.nodes == 1, "one node for now: a quorum needs the second round for its token");
}

AcquireId Tenant::acquire(Wish wish, Time now, Actions& actions) {
  const AcquireId id{++last_id_};
  const auto [it, added] = acquisitions_.try_emplace(id, id, std::move(wish),
                                                     Grant(config_.owner, random_.hex16()), config_.nodes);
  Outbox out = outbox(acquisition, last_id_, actions);
  it->second.start(now, out);
  wake_at({acquisition, last_id_}, std::nullopt, it->second.wake());
  return id;
}

void Tenant::cancel(AcquireId id, Time now, Actions& actions) {
  step_acquisition(id, now, actions, [](Acquisition& it, Outbox& out) {
    return std::optional(it.cancel(RefusalCode::cancelled, out));
  });
}

void Tenant::release(LeaseId id, Time now, Actions& actions) {
  const auto found = leases_.find(id);
  must(found != leases_.end(), "only a lease that is still known can be released");
  Owned& lease = found->second;
  if (lease.releasing) return;
  lease.releasing = true;
  keeper_.let_go(id);
  start_release({Release(lease.key, lease.grant, all_nodes(config_.nodes), lease.timing, std::nullopt), id},
                now, actions);
}

void Tenant::forget(LeaseId id, Time now, Actions& actions) {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return;
  const Owned lease = std::move(found->second);
  leases_.erase(found);
  keeper_.let_go(id);
  const Time gone_at = now + lease.timing.ttl + lease.timing.margin;
  start_release({Release(lease.key, lease.grant, all_nodes(config_.nodes), lease.timing, gone_at), {}}, now,
                actions);
}

void Tenant::on_reply(RequestId request, const Reply& reply, Time now, Actions& actions) {
  const auto entry = requests_.take(request);
  if (!entry) return;  // given up since; its outcome was counted as unknown then
  switch (entry->sender.kind) {
    case acquisition:
      step_acquisition(AcquireId{entry->sender.id}, now, actions, [&](Acquisition& it, Outbox& out) {
        return it.on_reply(entry->node, reply, now, random_, out);
      });
      return;
    case release_kind:
      step_release(entry->sender.id, actions, [&](Release& it, Outbox& out) {
        return it.on_reply(entry->node, reply, now, random_, out);
      });
      return;
    case Sender::Kind::keeper:
      Outbox out = outbox(Sender::Kind::keeper, 0, actions);
      keeper_.on_reply(request, reply, now, random_, out);
      return;
  }
}

void Tenant::on_timer(Time now, Actions& actions) {
  const std::size_t first = actions.size();
  Outbox out = outbox(Sender::Kind::keeper, 0, actions);
  keeper_.on_timer(now, random_, out);
  // A step may set its own next wake to now or earlier; each is taken once, so that this ends.
  std::vector<Sender> due;
  for (const auto& [time, sender] : wakes_) {
    if (time > now) break;
    due.push_back(sender);
  }
  for (const Sender& sender : due) {
    if (sender.kind == acquisition) {
      step_acquisition(AcquireId{sender.id}, now, actions,
                       [&](Acquisition& it, Outbox& box) { return it.on_timer(now, random_, box); });
    } else {
      step_release(sender.id, actions,
                   [&](Release& it, Outbox& box) { return it.on_timer(now, random_, box); });
    }
  }
  // What is dropped was sent before; nothing that is sent now may go down with that connection.
  auto next = actions.begin() + static_cast<std::ptrdiff_t>(first);
  for (auto it = next; it != actions.end(); ++it) {
    if (std::holds_alternative<Drop>(*it)) std::rotate(next++, it, it + 1);
  }
}

std::optional<Time> Tenant::wake() const {
  const auto renewals = keeper_.wake();
  if (wakes_.empty()) return renewals;
  const Time first = wakes_.begin()->first;
  return renewals ? std::min(*renewals, first) : first;
}

bool Tenant::idle() const {
  return acquisitions_.empty() && releases_.empty() && leases_.empty() && keeper_.empty() &&
         requests_.empty() && wakes_.empty();
}

void Tenant::wake_at(Sender sender, std::optional<Time> before, std::optional<Time> after) {
  if (before == after) return;
  if (before) wakes_.erase({*before, sender});
  if (after) wakes_.emplace(*after, sender);
}

template <class Step>
void Tenant::step_acquisition(AcquireId id, Time now, Actions& actions, Step&& step) {
  const auto found = acquisitions_.find(id);
  if (found == acquisitions_.end()) return;
  const Sender sender{acquisition, static_cast<std::uint64_t>(id)};
  const Time before = found->second.wake();
  Outbox out(sender, requests_, actions);
  const auto result = step(found->second, out);
  wake_at(sender, before, result ? std::nullopt : std::optional(found->second.wake()));
  if (result) end(id, *result, now, actions);
}

template <class Step>
void Tenant::step_release(ReleaseId id, Actions& actions, Step&& step) {
  const auto found = releases_.find(id);
  if (found == releases_.end()) return;
  const Sender sender{release_kind, id};
  Release& it = found->second.release;
  const Time before = it.wake();
  Outbox out(sender, requests_, actions);
  const auto result = step(it, out);
  wake_at(sender, before, result ? std::nullopt : std::optional(it.wake()));
  if (result) end(id, *result, actions);
}

void Tenant::end(AcquireId id, const Acquisition::End& end, Time now, Actions& actions) {
  const auto found = acquisitions_.find(id);
  const Acquisition done = std::move(found->second);
  acquisitions_.erase(found);
  const Wish& wish = done.wish();
  if (!end.win) {
    if (!end.clean_up.empty()) {
      start_release({Release(wish.key, done.grant(), end.clean_up, wish.timing, done.grant_gone_at()), {}},
                    now, actions);
    }
    actions.push_back(Refused{id, end.refusal});
    return;
  }
  const Win& win = *end.win;
  const LeaseId lease{++last_id_};
  leases_.emplace(lease, Owned{wish.key, done.grant(), wish.timing});
  keeper_.keep({lease, wish.key, done.grant().value(win.token), wish.timing, win.sent, win.nodes}, now,
               random_);
  actions.push_back(Acquired{id, lease, wish.key, done.grant(), win.token, wish.timing.deadline(win.sent)});
}

void Tenant::start_release(Returning returning, Time now, Actions& actions) {
  const ReleaseId id = ++last_id_;
  Release& release = releases_.emplace(id, std::move(returning)).first->second.release;
  Outbox out = outbox(release_kind, id, actions);
  release.start(now, out);
  wake_at({release_kind, id}, std::nullopt, release.wake());
}

void Tenant::end(ReleaseId id, const Release::End& end, Actions& actions) {
  const std::optional<LeaseId> lease = releases_.at(id).lease;
  releases_.erase(id);
  const auto found = lease ? leases_.find(*lease) : leases_.end();
  if (found == leases_.end()) return;  // nobody waits for it
  if (end.outcome == ReleaseOutcome::failed) {
    found->second.releasing = false;
  } else {
    leases_.erase(found);
  }
  actions.push_back(Released{*lease, end.outcome, end.failures});
}

}  // namespace tenure::core
