// One name that is always wanted, or only observed: campaign, lead, let the work drain, give the name back, and
// campaign again. A new term never begins before the one before it was drained, so that what belongs to one term
// never comes after what belongs to the next (T52).
#pragma once

#include <cstdint>
#include <optional>

#include "core/election/election_plan.hpp"
#include "core/lease/tenant.hpp"
#include "core/lease/told_reasons.hpp"

namespace tenure::core {

struct Seen;
struct Unseen;

class Election {
 public:
  // The ids by which the tenant speaks of it.
  struct Ids {
    std::optional<AcquireId> campaign{};
    std::optional<LeaseId> term{};
    std::optional<WatchId> watch{};
  };

  Election(ElectionId id, ElectionPlan plan, Tenant& tenant)
      : id_(id), plan_(std::move(plan)), tenant_(tenant) {}

  void start(Time now, Actions& actions);
  // Gives leadership up if it has it, and wants it no more. ElectionStopped follows.
  void stop(Time now, Actions& actions);
  // Gives leadership up, and wants it again after a while in which others can take it.
  void step_down(Actions& actions);
  // Ends without waiting for the work to drain.
  void close(Time now, Actions& actions);
  // The work of that term has ended and its handlers have run.
  void drained(Time now, Actions& actions);

  void on_acquired(const Acquired& acquired, Actions& actions);
  void on_waiting(const Refusal& refusal, Actions& actions);
  void on_refused(const Refusal& refusal, Time now, Random& random, Actions& actions);
  void on_uncertain(Time now);
  void on_renewed(const Renewed& renewed);
  void on_lost(const Lost& lost, Actions& actions);
  void on_released(const Released& released, Time now, Actions& actions);
  void on_seen(const Seen& seen, Actions& actions);
  void on_unseen(const Unseen& unseen, Actions& actions);
  void on_timer(Time now, Actions& actions);

  std::optional<Time> wake() const;
  const Ids& ids() const { return ids_; }
  bool stopped() const { return phase_ == Phase::stopped; }

 private:
  enum class Phase : std::uint8_t { observing, campaigning, resting, leading, draining, releasing, stopped };

  void campaign(Time now, Actions& actions);
  void rest(Duration pause, Time now);
  void watch(Time now);
  void unwatch();
  void drain(LossReason reason, Time deadline, Actions& actions);
  void end_term(bool released, Time now, Actions& actions);
  void end(Actions& actions);
  void set_leader(std::optional<Holder> leader, Actions& actions);

  ElectionId id_;
  ElectionPlan plan_;
  Tenant& tenant_;
  Phase phase_ = Phase::stopped;
  Ids ids_;
  bool wanted_ = false;
  bool stepped_down_ = false;
  bool told_of_leader_ = false;
  std::optional<Holder> leader_{};
  std::optional<Holder> own_{};            // as others see us in the last term that we had
  Time deadline_{};                        // of the term
  std::optional<Time> uncertain_since_{};  // renewals of it have failed since then
  bool overran_ = false;
  Time rests_until_{};
  unsigned refused_ = 0;  // campaigns, one after the other
  ToldReasons told_hindered_;
};

}  // namespace tenure::core
