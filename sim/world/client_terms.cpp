// The client's part in elections: what it does as a leader, and whether it was told what it must be told in time.
#include <algorithm>
#include <string>

#include "redis/grant_text.hpp"
#include "sim/world/client.hpp"

namespace tenure::sim {

core::ElectionId Client::join(const core::ElectionPlan& plan) {
  const core::ElectionId id = agent_.start(plan, now());
  parts_.emplace(id, Part{plan, shared_.terms.sit(plan.key), shared_.schedule.now()});
  perform();
  return id;
}

void Client::leave(core::ElectionId id) {
  parts_.at(id).left = true;
  agent_.stop(id, now());
  perform();
}

void Client::step_down(core::ElectionId id) {
  agent_.step_down(id, now());
  perform();
}

void Client::leave_at_once() {
  for (auto& [id, lease] : leases_) {
    if (lease.election && lease.told) cut_short(lease);
  }
  agent_.close_elections(now());
  perform();
}

void Client::work(core::LeaseId id) {
  Believed& term = leases_.at(id);
  const TrueTime at = shared_.schedule.now();
  if (!held(id)) {
    term.seen_over = true;
    return;
  }
  if (term.seen_over) shared_.judge.violated("S6", at, term.value + " is led again after it was not");
  shared_.terms.on_work(parts_.at(*term.election).seat, redis::read_holder(term.value).token, at);
}

void Client::handle_loss(core::LeaseId id) {
  const Believed& term = leases_.at(id);
  shared_.terms.on_handled(parts_.at(*term.election).seat, redis::read_holder(term.value).token,
                           shared_.schedule.now());
}

// Until here the name was not given back: now nobody believes in it any more.
void Client::drained(core::LeaseId id) {
  Believed& term = leases_.at(id);
  const core::ElectionId election = *term.election;
  // Another may lead since the deadline: that is said (T43).
  if (is_late(term.deadline) && !term.overran) {
    shared_.judge.violated("T43", shared_.schedule.now(), term.value + " overran its deadline untold");
  }
  end_belief(term);
  term.released = true;
  shared_.terms.on_drained(parts_.at(election).seat, shared_.schedule.now());
  agent_.drained(election, id, now());
  perform();
}

void Client::on_election(const core::ElectionNotice& notice) {
  std::visit(
      [&](const auto& it) {
        on(it);
        listener_.election(it.election, notice);
      },
      notice);
}

void Client::on(const core::Elected& elected) {
  const core::Acquired& won = elected.term;
  const Part& part = parts_.at(elected.election);
  if (part.left || !part.plan.candidate) {
    shared_.judge.violated("T58", shared_.schedule.now(), owner_ + " was elected, and is no candidate");
  }
  Believed term{won.key, redis::value(won.grant, won.token), won.deadline, part.plan.timing};
  term.election = elected.election;
  believe(won, std::move(term), part.since);
  expect_no_loose_ends(won.key);
  shared_.terms.on_elected(part.seat, won.token, shared_.schedule.now(), clock_.when(won.deadline));
}

void Client::on(const core::Uncertain& uncertain) {
  const auto found = leases_.find(uncertain.lease);
  if (found != leases_.end() && !found->second.uncertain) found->second.uncertain = now();
}

// Renewals that fail are tried for the grace; then leadership is given up, and not later.
void Client::expect_grace(const Believed& term) {
  if (!term.election || !term.uncertain) return;
  if (is_late(*term.uncertain + parts_.at(*term.election).plan.grace)) {
    shared_.judge.violated("S11", shared_.schedule.now(), term.value + " was led longer than its grace");
  }
}

void Client::on(const core::TermEnding& ending) {
  const TrueTime at = shared_.schedule.now();
  const Part& part = parts_.at(ending.election);
  Believed& term = leases_.at(ending.lease);
  shared_.trace.event(at, "ending", index_, static_cast<std::uint64_t>(ending.reason),
                      [&] { return term.value; });
  expect_grace(term);
  if (ending.reason == core::LossReason::not_renewed) {
    if (is_late(term.deadline - part.plan.timing.grace)) {
      shared_.judge.violated("S11", at,
                             term.value + " was told to end later than its drain before the deadline");
    }
    if (!term.lost) {
      if (!term.uncertain || now() < *term.uncertain + part.plan.grace) {
        shared_.judge.violated("L5", at, term.value + " was given up before its grace was over");
      }
      expect_no_false_loss(term);
    }
  }
  if (ending.deadline > term.deadline) {
    shared_.judge.violated("S6", at, term.value + " may drain for longer than it is held");
  }
  term.told = now();
  if (ending.deadline < term.deadline) {
    term.deadline = ending.deadline;
    end_belief(term);
  }
  shared_.terms.on_until(part.seat, clock_.when(term.deadline));
  shared_.terms.on_ending(part.seat, at);
  if (ending.reason == core::LossReason::closed) cut_short(term);
}

// Its work is not waited for.
void Client::cut_short(Believed& term) {
  end_belief(term);
  term.released = true;
  shared_.terms.on_cut_short(parts_.at(*term.election).seat, shared_.schedule.now());
}

void Client::on(const core::TermOverran& overran) {
  Believed& term = leases_.at(overran.lease);
  const TrueTime at = shared_.schedule.now();
  shared_.trace.event(at, "overran", index_, 0, [&] { return term.value; });
  const bool early = !term.told || now() < term.deadline;
  if (early || term.overran || is_late(std::max(term.deadline, *term.told))) {
    shared_.judge.violated("T43", at, term.value + " overran, and that was not told when it did");
  }
  term.overran = true;
}

void Client::on(const core::TermOver& over) {
  Part& part = parts_.at(over.election);
  shared_.terms.on_over(part.seat, shared_.schedule.now());
  part.since = shared_.schedule.now();
  leases_.erase(over.lease);
}

void Client::on(const core::LeaderChanged& changed) {
  const TrueTime at = shared_.schedule.now();
  shared_.trace.event(at, "leader", index_, changed.now ? changed.now->token : 0, [&] {
    return "client " + std::to_string(index_) + " sees that " +
           (changed.now ? changed.now->owner + " leads" : std::string("nobody leads"));
  });
  shared_.terms.on_leader_changed(parts_.at(changed.election).seat, changed.before, changed.now, at);
}

void Client::on(const core::ElectionStopped& stopped) {
  const auto part = parts_.extract(stopped.election);
  expect_no_loose_ends(part.mapped().plan.key);
  shared_.terms.on_stopped(part.mapped().seat, shared_.schedule.now());
}

}  // namespace tenure::sim
