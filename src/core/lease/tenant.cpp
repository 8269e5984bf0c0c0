#include "core/lease/tenant.hpp"

#include <algorithm>
#include <utility>

#include "core/action.hpp"

namespace tenure::core {

namespace {

constexpr auto acquisition = Sender::Kind::acquisition;
constexpr auto release_kind = Sender::Kind::release;

}  // namespace

Tenant::Tenant(Config config, Random random)
    : config_(std::move(config)),
      random_(random),
      subscriptions_(config_.nodes),
      clocks_(config_.nodes, config_.terms.cap),
      keeper_(config_.owner, config_.nodes, config_.batch_max),
      holder_watch_(config_.nodes, config_.batch_max),
      founding_(config_.terms, config_.nodes),
      all_nodes_(all_nodes(config_.nodes)) {
  must(!config_.owner.empty(), "a tenant has an owner id");
  must(config_.nodes >= 1 && config_.nodes <= nodes_max, "a tenant has 1 to 31 nodes");
  must(config_.batch_max.leases >= 1, "a request may name a lease");
}

AcquireId Tenant::acquire(Wish wish, Time now, Actions& actions) {
  const AcquireId id{++last_id_};
  const std::size_t first = actions.size();
  const Acquisition::Context context{id,        config_.owner, subscriptions_, clocks_,
                                     proposer_, config_.terms, reached_,       part_of(wish.key)};
  const auto [it, added] = acquisitions_.try_emplace(id, context, std::move(wish), random_);
  Outbox out = outbox(acquisition, last_id_, actions);
  it->second.start(now, out);
  wake_at({acquisition, last_id_}, std::nullopt, it->second.wake());
  look_at_clocks(first, now, actions);
  return id;
}

void Tenant::cancel(AcquireId id, Time now, Actions& actions) {
  step_acquisition(id, now, actions, [](Acquisition& it, Outbox& out) {
    return std::optional(it.cancel(RefusalCode::cancelled, out));
  });
}

bool Tenant::extend(LeaseId id, Time now, Actions& actions) {
  const std::size_t first = actions.size();
  Outbox out = outbox(Sender::Kind::keeper, 0, actions);
  if (!keeper_.extend(id, now, out)) return false;
  look_at_clocks(first, now, actions);
  return true;
}

void Tenant::release(LeaseId id, Time now, Actions& actions) {
  auto lease = keeper_.find(id);
  must(lease.has_value(), "only a lease that is still known can be released");
  if (!releasing_.insert(id).second) return;
  let_go(id);
  start_release({std::move(lease->key), std::move(lease->grant)}, all_nodes_, lease->timing, std::nullopt, id,
                now, actions);
}

void Tenant::forget(LeaseId id, Time now, Actions& actions) {
  auto lease = keeper_.find(id);
  if (!lease) return;
  let_go(id);
  keeper_.forget(id);
  releasing_.erase(id);
  start_release({std::move(lease->key), std::move(lease->grant)}, all_nodes_, lease->timing,
                lease->timing.gone_at(now), std::nullopt, now, actions);
}

WatchId Tenant::watch(std::string key, Duration every, Duration node_timeout, Time now) {
  const WatchId id{++last_id_};
  holder_watch_.watch(id, std::move(key), every, node_timeout, now);
  return id;
}

void Tenant::on_reply(RequestId request, const Reply& reply, Time now, Actions& actions) {
  const auto entry = requests_.take(request);
  if (!entry) return;  // given up since; its outcome was counted as unknown then
  const std::size_t first = actions.size();
  note_token(reply, now);
  hear(request, *entry, reply, now, actions);
  look_at_clocks(first, now, actions);
}

void Tenant::hear(RequestId request, const Requests::Entry& entry, const Reply& reply, Time now,
                  Actions& actions) {
  switch (entry.sender.kind) {
    case acquisition:
      step_acquisition(AcquireId{entry.sender.id}, now, actions, [&](Acquisition& it, Outbox& out) {
        return it.on_reply(entry.node, reply, now, random_, out);
      });
      return;
    case release_kind:
      step_release(entry.sender.id, now, actions, [&](Release& it, Outbox& out) {
        return it.on_reply(entry.node, reply, now, random_, out);
      });
      return;
    case Sender::Kind::quarantine: {
      const auto found = quarantines_.find({entry.node, static_cast<Part>(entry.sender.id)});
      const bool opened = found->second.on_reply(reply, now, random_);
      if (found->second.idle()) quarantines_.erase(found);
      if (opened) poke_acquisitions([&](Acquisition& it) { it.on_opened(now); });
      return;
    }
    case Sender::Kind::clock:
      if (const auto jump = clocks_.on_reply({entry.node, static_cast<Part>(entry.sender.id)}, reply, now)) {
        actions.push_back(ClockJumped{entry.node, *jump, quarantine_length(config_.terms.cap)});
      }
      return;
    case Sender::Kind::holder_watch: {
      Outbox out = outbox(Sender::Kind::holder_watch, 0, actions);
      holder_watch_.on_reply(request, reply, now, out);
      return;
    }
    case Sender::Kind::fleet:
      actions.push_back(Heard{request, reply});
      return;
    case Sender::Kind::keeper:
      Outbox out = outbox(Sender::Kind::keeper, 0, actions);
      keeper_.on_reply(request, reply, now, random_, out);
      return;
  }
}

void Tenant::on_admitted(Place place, const Record& record, Time now) {
  founding_.on_admitted(place.node, record);
  const auto found = quarantines_.try_emplace(place, place, config_.terms, founding_).first;
  found->second.on_admitted(record, now);
  if (found->second.idle()) quarantines_.erase(found);
  if (config_.part_of) clocks_.on_moved(place);
  if (record.open && record.terms == config_.terms)
    poke_acquisitions([&](Acquisition& it) { it.on_opened(now); });
}

void Tenant::on_listening(NodeIndex node, bool listening, Time now) {
  subscriptions_.set(node, listening);
  poke_acquisitions([&](Acquisition& it) { it.on_listening(listening, now); });
}

void Tenant::on_wake_up(NodeIndex node, const Grant& ticket, Duration after, Time now) {
  const auto found = tickets_.find(ticket);
  if (found == tickets_.end()) return;  // late, repeated or forged
  poke(found->second, acquisitions_.at(found->second),
       [&](Acquisition& it) { it.on_wake_up(node, after, now); });
}

void Tenant::on_timer(Time now, Actions& actions) {
  const std::size_t first = actions.size();
  Outbox out = outbox(Sender::Kind::keeper, 0, actions);
  keeper_.on_timer(now, random_, out);
  for (auto& [place, quarantine] : quarantines_) {
    Outbox opener = outbox(Sender::Kind::quarantine, place.part, actions);
    quarantine.on_timer(now, random_, opener);
  }
  Outbox looks = outbox(Sender::Kind::holder_watch, 0, actions);
  holder_watch_.on_timer(now, looks);
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
      step_release(sender.id, now, actions,
                   [&](Release& it, Outbox& box) { return it.on_timer(now, random_, box); });
    }
  }
  look_at_clocks(first, now, actions);
}

// Before a node is asked for a grant or a renewal it is asked for the time, now and then: the answer that comes
// first says whether the next one counts.
void Tenant::look_at_clocks(std::size_t first, Time now, Actions& actions) {
  for (std::size_t i = first; i < actions.size(); ++i) {
    const auto* send = std::get_if<Send>(&actions[i]);
    if (send == nullptr) continue;
    const NodeIndex node = send->node;
    const Duration answer_within = send->answer_within;
    const auto look = [&](Part part) {
      if (!clocks_.due({node, part}, now)) return;
      const RequestId id = requests_.add({{Sender::Kind::clock, part}, node});
      clocks_.on_sent({node, part}, now);
      actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(i),
                     Send{node, id, ClockRequest{part}, answer_within});
      i += 1;
    };
    if (const auto* acquire = std::get_if<AcquireRequest>(&send->request)) {
      look(part_of(acquire->key));
    } else if (const auto* renew = std::get_if<RenewRequest>(&send->request)) {
      for (const Part part : parts_of(*renew)) look(part);
    }
  }
}

std::set<Part> Tenant::parts_of(const RenewRequest& renew) const {
  if (!config_.part_of) return {0};
  std::set<Part> parts;
  for (const Holding& it : renew.items) parts.insert(part_of(it.key));
  return parts;
}

// The release goes to every node, behind what it has not answered yet.
void Tenant::let_go(LeaseId id) {
  keeper_.let_go(id);
  for (const RequestId request : keeper_.take_stragglers(id)) requests_.take(request);
}

// What a node has minted, for us or for the holder that it shows, is not proposed again.
void Tenant::note_token(const Reply& reply, Time now) {
  if (const auto* granted = std::get_if<Granted>(&reply)) proposer_.on_token(granted->token, now);
  if (const auto* held = std::get_if<Held>(&reply)) proposer_.on_token(held->holder.token, now);
}

std::optional<Time> Tenant::wake() const {
  auto first = keeper_.wake();
  for (const auto& [place, quarantine] : quarantines_) first = sooner(first, quarantine.wake());
  first = sooner(first, holder_watch_.wake());
  if (!wakes_.empty()) first = sooner(first, wakes_.begin()->first);
  return first;
}

std::string Tenant::key_of(LeaseId id) const {
  const auto lease = keeper_.find(id);
  return lease ? lease->key : std::string();
}

std::optional<Time> Tenant::deadline_of(LeaseId id) const {
  const auto lease = keeper_.find(id);
  return lease ? std::optional(lease->deadline) : std::nullopt;
}

std::optional<Time> Tenant::open_by(const std::vector<NodeIndex>& nodes) const {
  std::optional<Time> last;
  for (const NodeIndex node : nodes) {
    if (!quarantined(node)) return std::nullopt;
    for (const auto& [place, quarantine] : quarantines_) {
      if (place.node != node || !quarantine.lasts()) continue;
      const auto over = quarantine.over_by();
      if (!over) return std::nullopt;
      last = std::max(last, over);
    }
  }
  return last;
}

bool Tenant::quarantined(NodeIndex node) const {
  return std::ranges::any_of(quarantines_,
                             [node](const auto& it) { return it.first.node == node && it.second.lasts(); });
}

bool Tenant::asks_for(AcquireId id, const Grant& grant) const {
  const auto found = acquisitions_.find(id);
  return found != acquisitions_.end() && found->second.grant() == grant;
}

bool Tenant::idle() const {
  return acquisitions_.empty() && releases_.empty() && keeper_.empty() && holder_watch_.empty() &&
         requests_.empty() && wakes_.empty() && tickets_.empty() && releasing_.empty();
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
  clean_up(found->second, now, actions);
  if (result) {
    end(id, *result, now, actions);
  } else if (const auto& ticket = found->second.ticket()) {
    tickets_.emplace(*ticket, id);
  }
}

template <class Poke>
void Tenant::poke(AcquireId id, Acquisition& it, Poke&& how) {
  const Time before = it.wake();
  how(it);
  wake_at({acquisition, static_cast<std::uint64_t>(id)}, before, it.wake());
}

template <class Poke>
void Tenant::poke_acquisitions(const Poke& how) {
  for (auto& [id, it] : acquisitions_) poke(id, it, how);
}

template <class Step>
void Tenant::step_release(ReleaseId id, Time now, Actions& actions, Step&& step) {
  const auto found = releases_.find(id);
  if (found == releases_.end()) return;
  const Sender sender{release_kind, id};
  Release& it = found->second.release;
  const Time before = it.wake();
  Outbox out(sender, requests_, actions);
  const auto result = step(it, out);
  const bool ended = result && !result->goes_on;
  wake_at(sender, before, ended ? std::nullopt : std::optional(it.wake()));
  if (result) end(id, *result, now, actions);
}

void Tenant::end(AcquireId id, const Acquisition::End& end, Time now, Actions& actions) {
  const auto taken = acquisitions_.extract(id);
  const Acquisition& done = taken.mapped();
  if (done.ticket()) tickets_.erase(*done.ticket());
  if (!end.win) {
    actions.push_back(Refused{id, end.refusal});
    return;
  }
  const Wish& wish = done.wish();
  const Win& win = *end.win;
  const LeaseId lease{++last_id_};
  for (const Unanswered& it : end.unanswered) requests_.hand_over(it.id, {Sender::Kind::keeper, 0});
  const Time ends = wish.hold_max && *wish.hold_max < Time::max() - now ? now + *wish.hold_max : Time::max();
  const Time deadline = keeper_.keep({lease, wish.key, done.grant().nonce(), win.token, wish.timing, win.sent,
                                      win.nodes, ends, end.unanswered},
                                     now, random_);
  actions.push_back(Acquired{id, lease, wish.key, done.grant(), win.token, deadline});
}

// What an acquisition may still hold by a grant that it does not use any more.
void Tenant::clean_up(Acquisition& it, Time now, Actions& actions) {
  auto discarded = it.take_discarded();
  if (!discarded) return;
  const Wish& wish = it.wish();
  ReleaseRequest request{wish.key, discarded->grant, discarded->ticket, discarded->wake};
  start_release(std::move(request), discarded->nodes, wish.timing, discarded->gone_at, std::nullopt, now,
                actions);
}

void Tenant::start_release(ReleaseRequest request, const std::vector<NodeIndex>& nodes, const Timing& timing,
                           std::optional<Time> try_until, std::optional<LeaseId> lease, Time now,
                           Actions& actions) {
  const ReleaseId id = ++last_id_;
  Returning returning{Release(std::move(request), nodes, timing, try_until), lease};
  Release& release = releases_.emplace(id, std::move(returning)).first->second.release;
  Outbox out = outbox(release_kind, id, actions);
  release.start(now, out);
  wake_at({release_kind, id}, std::nullopt, release.wake());
}

// Missing, but not lapsed: the nodes have lost their data, and have given it to nobody since.
bool Tenant::forgotten_by_nodes(const Keeper::Known& lease, Time now) const {
  const Part part = part_of(lease.key);
  const auto lasting = std::ranges::count_if(
      quarantines_, [part](const auto& it) { return it.first.part == part && it.second.lasts(); });
  return now < lease.deadline && static_cast<std::size_t>(lasting) >= quorum_of(config_.nodes);
}

void Tenant::end(ReleaseId id, Release::End end, Time now, Actions& actions) {
  const std::optional<LeaseId> lease = std::exchange(releases_.at(id).lease, std::nullopt);
  if (!end.goes_on) releases_.erase(id);
  if (!lease || releasing_.erase(*lease) == 0) return;  // nobody waits for it
  // Given back, but not everywhere: the rest is cleaned up as far as nodes can be reached.
  if (end.outcome != ReleaseOutcome::failed && !end.failures.empty() && !end.goes_on) {
    const auto known = keeper_.find(*lease);
    std::vector<NodeIndex> left;
    for (const NodeFailure& failure : end.failures) left.push_back(failure.node);
    start_release({known->key, known->grant}, left, known->timing, known->timing.gone_at(now), std::nullopt,
                  now, actions);
  }
  if (end.outcome == ReleaseOutcome::expired && forgotten_by_nodes(*keeper_.find(*lease), now)) {
    end.outcome = ReleaseOutcome::released;
  }
  if (end.outcome != ReleaseOutcome::failed) keeper_.forget(*lease);
  actions.push_back(Released{*lease, end.outcome, end.failures});
}

}  // namespace tenure::core
