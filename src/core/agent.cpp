#include "core/agent.hpp"

#include <utility>

#include "core/action.hpp"
#include "core/base/check.hpp"

namespace tenure::core {

Agent::Agent(Tenant::Config config, Random random)
    : tenant_(std::move(config), random),
      random_(random.next()),
      elections_(tenant_, Random(random_.next())),
      actions_(std::make_unique<Actions>()) {}

Agent::~Agent() = default;

AcquireId Agent::acquire(Wish wish, Time now) {
  const AcquireId id = tenant_.acquire(std::move(wish), now, *actions_);
  route(now);
  return id;
}

void Agent::cancel(AcquireId id, Time now) {
  tenant_.cancel(id, now, *actions_);
  route(now);
}

bool Agent::extend(LeaseId id, Time now) {
  const bool held = tenant_.extend(id, now, *actions_);
  route(now);
  return held;
}

void Agent::release(LeaseId id, Time now) {
  tenant_.release(id, now, *actions_);
  route(now);
}

void Agent::give_up(LeaseId id, Time now) {
  tenant_.give_up(id);
  actions_->push_back(Lost{id, LossReason::not_renewed, Time{}});
  route(now);
}

void Agent::forget(LeaseId id, Time now) {
  tenant_.forget(id, now, *actions_);
  route(now);
}

ElectionId Agent::start(ElectionPlan plan, Time now) {
  const ElectionId id = elections_.start(std::move(plan), now, *actions_);
  route(now);
  return id;
}

void Agent::stop(ElectionId id, Time now) {
  elections_.stop(id, now, *actions_);
  route(now);
}

void Agent::step_down(ElectionId id, Time now) {
  elections_.step_down(id, *actions_);
  route(now);
}

void Agent::drained(ElectionId id, LeaseId term, Time now) {
  elections_.drained(id, term, now, *actions_);
  route(now);
}

void Agent::close_elections(Time now) {
  elections_.close(now, *actions_);
  route(now);
}

void Agent::join(FleetPlan plan, Time now) {
  must(!fleet_, "a client takes part in one fleet at a time");
  fleet_.emplace(std::move(plan), tenant_, Random(random_.next()));
  fleet_->start(now);
  fleet_->on_timer(now, *actions_);
  route(now);
}

void Agent::leave(Time now) {
  if (fleet_) fleet_->stop(now, *actions_);
  route(now);
}

void Agent::close_fleet(Time now) {
  if (fleet_) fleet_->close(now, *actions_);
  route(now);
}

void Agent::share(const std::vector<std::string>& sessions, Time now) {
  if (fleet_) fleet_->share(sessions, now, *actions_);
  route(now);
}

void Agent::take_session(const std::string& session, Time now) {
  if (fleet_) fleet_->take(session, now, *actions_);
  route(now);
}

bool Agent::give_back(const std::string& session, Time now) {
  const bool ours = fleet_ && fleet_->give_back(session, now, *actions_);
  route(now);
  return ours;
}

void Agent::session_drained(LeaseId lease, Time now) {
  if (fleet_) fleet_->drained(lease, now, *actions_);
  route(now);
}

void Agent::on_reply(RequestId request, const Reply& reply, Time now) {
  tenant_.on_reply(request, reply, now, *actions_);
  route(now);
}

void Agent::on_change(FleetChange change, Time now) {
  if (fleet_) fleet_->on_change(change, now, *actions_);
  route(now);
}

void Agent::on_timer(Time now) {
  tenant_.on_timer(now, *actions_);
  elections_.on_timer(now, *actions_);
  if (fleet_) fleet_->on_timer(now, *actions_);
  route(now);
}

std::optional<Time> Agent::wake() const {
  const auto first = sooner(tenant_.wake(), elections_.wake());
  return fleet_ ? sooner(first, fleet_->wake()) : first;
}

// First to those whose affair it may be inside, then to where it leaves.
void Agent::route(Time now) {
  elections_.route(*actions_, now);
  if (fleet_) fleet_->route(*actions_, now);
  for (Action& action : *actions_) {
    std::visit(
        [this]<class Kind>(Kind& it) {
          if constexpr (is_alternative<Kind, CallNotice>) {
            outcome_.notices.emplace_back(CallNotice(std::move(it)));
          } else if constexpr (is_alternative<Kind, LeaseNotice>) {
            outcome_.notices.emplace_back(LeaseNotice(std::move(it)));
          } else if constexpr (is_alternative<Kind, ElectionNotice>) {
            outcome_.notices.emplace_back(ElectionNotice(std::move(it)));
          } else if constexpr (is_alternative<Kind, FleetNotice>) {
            outcome_.notices.emplace_back(FleetNotice(std::move(it)));
          } else if constexpr (std::is_same_v<Kind, ClockJumped>) {
            outcome_.notices.emplace_back(it);
          } else if constexpr (std::is_same_v<Kind, Send>) {
            outcome_.effects.sends.push_back(std::move(it));
          } else if constexpr (std::is_same_v<Kind, Drop>) {
            put(it);
          } else if constexpr (std::is_same_v<Kind, Listen>) {
            outcome_.effects.listen = true;
          } else {
            // Said inside, of an election or a fleet that is over meanwhile.
            static_assert(is_alternative<Kind, std::variant<Seen, Unseen, Heard>>);
          }
        },
        static_cast<AnyAction&>(action));
  }
  actions_->clear();
  if (fleet_ && fleet_->stopped()) fleet_.reset();
}

// What nobody has taken yet was not sent: no connection carries it.
void Agent::put(Drop drop) {
  if (std::erase_if(outcome_.effects.sends, [&](const Send& send) { return send.id == drop.id; }) > 0) return;
  outcome_.effects.drops.push_back(drop);
}

}  // namespace tenure::core
