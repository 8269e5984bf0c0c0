#include "core/election/elections.hpp"

#include <utility>
#include <vector>

#include "core/action.hpp"

namespace tenure::core {

namespace {

// Keeps an index in step with what an election goes by.
template <class Index, class Id>
void reindex(Index& index, const std::optional<Id>& before, const std::optional<Id>& after,
             ElectionId election) {
  if (before == after) return;
  if (before) index.erase(*before);
  if (after) index.emplace(*after, election);
}

}  // namespace

template <class Step>
void Elections::step(ElectionId id, Step&& step) {
  const auto found = elections_.find(id);
  if (found == elections_.end()) return;
  Election& election = found->second;
  const Election::Ids before = election.ids();
  const auto woke = election.wake();
  step(election);
  const Election::Ids& after = election.ids();
  reindex(campaigns_, before.campaign, after.campaign, id);
  reindex(terms_, before.term, after.term, id);
  reindex(watches_, before.watch, after.watch, id);
  if (woke) wakes_.erase({*woke, id});
  if (const auto wake = election.wake()) wakes_.emplace(*wake, id);
  if (election.stopped()) elections_.erase(found);
}

// False when no election goes by that id.
template <class Ids, class Id, class Step>
bool Elections::step_by(const Ids& ids, Id id, Step&& what) {
  const auto found = ids.find(id);
  if (found == ids.end()) return false;
  step(found->second, what);
  return true;
}

ElectionId Elections::start(ElectionPlan plan, Time now, Actions& actions) {
  const ElectionId id{++last_};
  elections_.try_emplace(id, id, std::move(plan), tenant_);
  step(id, [&](Election& it) { it.start(now, actions); });
  return id;
}

void Elections::stop(ElectionId id, Time now, Actions& actions) {
  step(id, [&](Election& it) { it.stop(now, actions); });
}

void Elections::step_down(ElectionId id, Actions& actions) {
  step(id, [&](Election& it) { it.step_down(actions); });
}

void Elections::drained(ElectionId id, LeaseId term, Time now, Actions& actions) {
  const auto found = terms_.find(term);
  if (found == terms_.end() || found->second != id) return;
  step(id, [&](Election& it) { it.drained(now, actions); });
}

void Elections::close(Time now, Actions& actions) {
  std::vector<ElectionId> all;
  for (const auto& [id, election] : elections_) all.push_back(id);
  for (const ElectionId id : all) {
    step(id, [&](Election& it) { it.close(now, actions); });
  }
}

void Elections::route(Actions& actions, Time now) {
  if (elections_.empty()) return;
  offer(actions, [&](Action& action, Actions& more) { return route(action, now, more); });
}

// True when it concerns nobody but an election.
bool Elections::route(Action& action, Time now, Actions& more) {
  if (const auto* acquired = std::get_if<Acquired>(&action)) {
    return step_by(campaigns_, acquired->acquire, [&](Election& it) { it.on_acquired(*acquired, more); });
  }
  if (const auto* refused = std::get_if<Refused>(&action)) {
    return step_by(campaigns_, refused->acquire,
                   [&](Election& it) { it.on_refused(refused->refusal, now, random_, more); });
  }
  if (const auto* waiting = std::get_if<Waiting>(&action)) {
    return step_by(campaigns_, waiting->acquire,
                   [&](Election& it) { it.on_waiting(waiting->refusal, more); });
  }
  if (const auto* seen = std::get_if<Seen>(&action)) {
    return step_by(watches_, seen->watch, [&](Election& it) { it.on_seen(*seen, more); });
  }
  if (const auto* unseen = std::get_if<Unseen>(&action)) {
    return step_by(watches_, unseen->watch, [&](Election& it) { it.on_unseen(*unseen, more); });
  }
  if (const auto* released = std::get_if<Released>(&action)) {
    return step_by(terms_, released->lease, [&](Election& it) { it.on_released(*released, now, more); });
  }
  // What happens to a lease is also its holder's affair.
  if (const auto* uncertain = std::get_if<Uncertain>(&action)) {
    step_by(terms_, uncertain->lease, [&](Election& it) { it.on_uncertain(now); });
  } else if (const auto* renewed = std::get_if<Renewed>(&action)) {
    step_by(terms_, renewed->lease, [&](Election& it) { it.on_renewed(*renewed); });
  } else if (const auto* lost = std::get_if<Lost>(&action)) {
    step_by(terms_, lost->lease, [&](Election& it) { it.on_lost(*lost, more); });
  }
  return false;
}

void Elections::on_timer(Time now, Actions& actions) {
  std::vector<ElectionId> due;
  for (const auto& [time, id] : wakes_) {
    if (time > now) break;
    due.push_back(id);
  }
  for (const ElectionId id : due) {
    step(id, [&](Election& it) { it.on_timer(now, actions); });
  }
}

std::optional<Time> Elections::wake() const {
  if (wakes_.empty()) return std::nullopt;
  return wakes_.begin()->first;
}

}  // namespace tenure::core
