#include "sim/world/candidacy.hpp"

#include <utility>

#include "core/base/overload.hpp"
#include "redis/grant_text.hpp"

namespace tenure::sim {

void Candidacy::boot(Client& client) {
  life_.begin(client);
  election_.reset();
  term_.reset();
  leader_.reset();
  if (!wanted_) return;
  if (whims_) plan_.candidate = !chance(15);
  life_.later(up_to(ttl() / 20), [this] { join(); });
}

void Candidacy::begin() {
  whims_ = wanted_ = true;
  plan_.candidate = !chance(15);
  life_.later(up_to(ttl() / 20), [this] { join(); });
}

void Candidacy::begin_calmly(bool candidate) {
  wanted_ = true;
  plan_.candidate = candidate;
  join();
}

void Candidacy::end() {
  const bool at_once = whims_ && chance(20);
  wanted_ = whims_ = false;
  if (!election_) return;
  if (at_once) {
    client().leave_at_once();
  } else {
    client().leave(*election_);
  }
}

void Candidacy::step_down() {
  if (election_) client().step_down(*election_);
}

void Candidacy::join() {
  if (!wanted_ || election_) return;
  leader_.reset();
  // Nothing is heard before this returns: the network takes its time.
  election_ = client().join(plan_);
  if (whims_) life_.later(up_to(ttl() * 6), [this, election = *election_] { have_whim(election); });
}

void Candidacy::have_whim(core::ElectionId election) {
  if (election_ != election || !whims_) return;
  const auto whim = random_.below(10);
  if (whim < 5) client().step_down(election);
  if (whim >= 8) client().leave(election);
  life_.later(up_to(ttl() * 6), [this, election] { have_whim(election); });
}

void Candidacy::hear(core::ElectionId election, const core::ElectionNotice& notice) {
  if (election_ != election) return;
  std::visit(core::Overload{
                 [this](const core::Elected& it) {
                   const core::Acquired& won = it.term;
                   term_ = Term{won.lease, won.token, redis::value(won.grant, won.token)};
                   life_.later(up_to(ttl() / 20), [this, lease = won.lease] { work(lease); });
                 },
                 [this](const core::TermEnding& it) {
                   if (Term* term = term_of(it.lease)) term->ending = true;
                   if (it.reason != core::LossReason::closed) drain(it.deadline);
                 },
                 [](const core::TermOverran&) {},
                 [this](const core::TermOver&) { term_.reset(); },
                 [this](const core::LeaderChanged& it) { leader_ = it.now; },
                 [](const core::CampaignHindered&) {},
                 [this](const core::ElectionStopped&) {
                   election_.reset();
                   if (wanted_) life_.later(up_to(ttl() * 2), [this] { join(); });
                 },
             },
             notice);
}

// Again and again, as long as the work has not ended: whether it is held is asked each time.
void Candidacy::work(core::LeaseId lease) {
  const Term* term = term_of(lease);
  if (term == nullptr || term->worked_out) return;
  client().work(lease);
  if (chance(30)) write();
  life_.later(up_to(ttl() / 10), [this, lease] { work(lease); });
}

void Candidacy::write() {
  if (!client().held(term_->lease)) return;
  shared_.network.send_elsewhere([this, term = *term_, life = life_.number()] {
    const bool still_held = life == life_.number() && client().held(term.lease);
    const bool taken =
        shared_.judge.on_write(plan_.key, term.value, term.token, still_held, shared_.schedule.now());
    shared_.trace.event(shared_.schedule.now(), "write", term.token, taken ? 1 : 0,
                        [&] { return term.value; });
  });
}

// The work goes on for a while, then its handlers run; all within the time that there is, or now and then not.
void Candidacy::drain(core::Time deadline) {
  const Duration left = std::max(client().until(deadline), Duration::zero());
  const Duration all = whims_ && chance(8) ? left + up_to(ttl() / 2) : up_to(left);
  const Duration working = up_to(all);
  life_.later(working, [this, lease = term_->lease, rest = all - working] {
    Term* term = term_of(lease);
    if (term == nullptr) return;
    client().work(lease);
    term->worked_out = true;
    client().handle_loss(lease);
    life_.later(rest, [this, lease] {
      if (term_of(lease) != nullptr) client().drained(lease);
    });
  });
}

}  // namespace tenure::sim
