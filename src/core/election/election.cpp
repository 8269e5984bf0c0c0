#include "core/election/election.hpp"

#include <algorithm>
#include <utility>

#include "core/action.hpp"
#include "core/base/check.hpp"

namespace tenure::core {

using std::chrono::milliseconds;
using std::chrono::seconds;

void Election::start(Time now, Actions& actions) {
  must(phase_ == Phase::stopped && !wanted_, "an election is started once");
  watch(now);
  wanted_ = plan_.candidate;
  if (wanted_) {
    campaign(now, actions);
  } else {
    phase_ = Phase::observing;
  }
}

void Election::campaign(Time now, Actions& actions) {
  phase_ = Phase::campaigning;
  Wish wish{plan_.key, plan_.timing};
  wish.wait_max.reset();
  wish.asks_again = true;
  ids_.campaign = tenant_.acquire(std::move(wish), now, actions);
}

void Election::rest(Duration pause, Time now) {
  phase_ = Phase::resting;
  rests_until_ = now + pause;
}

void Election::stop(Time now, Actions& actions) {
  wanted_ = false;
  switch (phase_) {
    case Phase::campaigning:  // Refused follows, and ends it
      tenant_.cancel(*ids_.campaign, now, actions);
      return;
    case Phase::leading:
      drain(LossReason::stopped, deadline_, actions);
      return;
    case Phase::observing:
    case Phase::resting:
      end(actions);
      return;
    case Phase::draining:
    case Phase::releasing:
    case Phase::stopped:
      return;
  }
}

void Election::step_down(Actions& actions) {
  if (phase_ != Phase::leading) return;
  stepped_down_ = true;
  drain(LossReason::stepped_down, deadline_, actions);
}

void Election::close(Time now, Actions& actions) {
  if (phase_ == Phase::leading) drain(LossReason::closed, now, actions);
  stop(now, actions);
  if (!ids_.term) return;
  tenant_.forget(*ids_.term, now, actions);
  end_term(false, now, actions);
}

void Election::on_acquired(const Acquired& acquired, Actions& actions) {
  // Whoever is stopped before has been refused before (T58).
  must(phase_ == Phase::campaigning && wanted_, "only a candidate is elected");
  ids_.campaign.reset();
  ids_.term = acquired.lease;
  phase_ = Phase::leading;
  deadline_ = acquired.deadline;
  uncertain_since_.reset();
  overran_ = stepped_down_ = false;
  refused_ = 0;
  told_hindered_.forget();
  unwatch();
  actions.push_back(Elected{id_, acquired});
  own_ = Holder{tenant_.owner(), acquired.token};
  set_leader(own_, actions);
}

void Election::on_waiting(const Refusal& refusal, Actions& actions) {
  // That another leads is no hindrance.
  const bool hindered = refusal.code != RefusalCode::held && refusal.code != RefusalCode::too_slow;
  if (!hindered) return told_hindered_.forget();
  if (told_hindered_.note(refusal)) actions.push_back(CampaignHindered{id_, refusal});
}

// A campaign that comes to nothing is tried again: an election is always wanted.
void Election::on_refused(const Refusal& refusal, Time now, Random& random, Actions& actions) {
  ids_.campaign.reset();
  if (!wanted_) {
    end(actions);
    return;
  }
  on_waiting(refusal, actions);
  const Duration longest = std::min<Duration>(milliseconds(50) * (1U << std::min(refused_, 5U)), seconds(1));
  refused_ += 1;
  rest(random.between(longest / 2, longest), now);
}

void Election::on_uncertain(Time now) {
  if (!uncertain_since_) uncertain_since_ = now;
}

void Election::on_renewed(const Renewed& renewed) {
  if (phase_ != Phase::leading) return;  // the deadline that was told stands
  uncertain_since_.reset();
  deadline_ = renewed.deadline;
}

void Election::on_lost(const Lost& lost, Actions& actions) {
  if (phase_ == Phase::leading) drain(lost.reason, lost.deadline, actions);
}

// Renewed no more from here on: the deadline stands, whatever the work does.
void Election::drain(LossReason reason, Time deadline, Actions& actions) {
  tenant_.give_up(*ids_.term);
  phase_ = Phase::draining;
  deadline_ = std::min(deadline_, deadline);
  actions.push_back(TermEnding{id_, *ids_.term, reason, deadline_});
}

void Election::drained(Time now, Actions& actions) {
  if (phase_ != Phase::draining) return;
  phase_ = Phase::releasing;
  tenant_.release(*ids_.term, now, actions);
}

void Election::on_released(const Released& released, Time now, Actions& actions) {
  // Where no answer came it is tried on, in the background, as long as anything can be there (T47).
  if (released.outcome == ReleaseOutcome::failed) tenant_.forget(*ids_.term, now, actions);
  end_term(released.outcome == ReleaseOutcome::released, now, actions);
}

void Election::end_term(bool released, Time now, Actions& actions) {
  actions.push_back(TermOver{id_, *std::exchange(ids_.term, std::nullopt), plan_.key, released});
  if (leader_ == own_) set_leader(std::nullopt, actions);
  if (!wanted_) {
    end(actions);
    return;
  }
  watch(now);
  if (stepped_down_) {
    rest(std::min<Duration>(plan_.timing.renew, seconds(1)), now);
  } else {
    campaign(now, actions);
  }
}

void Election::end(Actions& actions) {
  unwatch();
  phase_ = Phase::stopped;
  actions.push_back(ElectionStopped{id_});
}

void Election::watch(Time now) {
  if (ids_.watch) return;
  ids_.watch = tenant_.watch(plan_.key, plan_.look_every, plan_.timing.node_timeout, now);
}

void Election::unwatch() {
  if (const auto watch = std::exchange(ids_.watch, std::nullopt)) tenant_.unwatch(*watch);
}

// What is left on nodes of a term that is over makes nobody a leader; its release may have failed. And a look may be
// quicker than the answer that makes us one.
void Election::on_seen(const Seen& seen, Actions& actions) {
  if (ids_.campaign && seen.grant && tenant_.asks_for(*ids_.campaign, *seen.grant)) return;
  set_leader(seen.holder == own_ ? std::nullopt : seen.holder, actions);
}

// A candidate hears it from its campaign.
void Election::on_unseen(const Unseen& unseen, Actions& actions) {
  if (plan_.candidate) return;
  actions.push_back(CampaignHindered{id_, {.code = RefusalCode::no_quorum, .failures = unseen.failures}});
}

void Election::set_leader(std::optional<Holder> leader, Actions& actions) {
  // An observer is told also that there is none when it begins (T51).
  const bool news = !plan_.candidate && !std::exchange(told_of_leader_, true);
  if (leader_ == leader && !news) return;
  auto before = std::exchange(leader_, std::move(leader));
  actions.push_back(LeaderChanged{id_, std::move(before), leader_});
}

void Election::on_timer(Time now, Actions& actions) {
  if (phase_ == Phase::resting && now >= rests_until_) {
    campaign(now, actions);
  } else if (phase_ == Phase::leading && uncertain_since_ && now >= *uncertain_since_ + plan_.grace) {
    drain(LossReason::not_renewed, deadline_, actions);
  } else if (phase_ == Phase::draining && !overran_ && now >= deadline_) {
    overran_ = true;
    actions.push_back(TermOverran{id_, *ids_.term});
    // Whoever leads by now, it is not us (T51).
    set_leader(std::nullopt, actions);
    watch(now);
  }
}

std::optional<Time> Election::wake() const {
  if (phase_ == Phase::resting) return rests_until_;
  if (phase_ == Phase::leading && uncertain_since_) return *uncertain_since_ + plan_.grace;
  if (phase_ == Phase::draining && !overran_) return deadline_;
  return std::nullopt;
}

}  // namespace tenure::core
