// Everything that one client decides: its leases, its elections and its fleet. Whoever drives it says what happened and what
// time it is, and performs what comes of it:
//
//   const AcquireId id = agent.acquire(wish, now);
//   agent.on_reply(request, reply, now);
//   …call agent.on_timer(now) no later than agent.wake(), again and again…
//   for (Outcome outcome = agent.take(); !outcome.empty(); outcome = agent.take()) …tell the notices, then perform the effects…
//
// Notices come before effects, because nobody may believe in a lease any more when its release leaves (S8). What is
// called while they are told is part of the next outcome.
//
// Every Send is answered once, by a reply or a Failure, unless a Drop withdraws it first. A Drop also says that the
// connection which carries the request is not to be used again; the other requests on it are answered with a Failure that
// says whether they may have had an effect. Of its connections the driver tells when one was admitted by its node, and when
// messages of a node are heard. Neither is ever needed for safety.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/election/elections.hpp"
#include "core/fleet/fleet.hpp"
#include "core/lease/tenant.hpp"

namespace tenure::core {

// What came of everything that happened since the last look.
struct Outcome {
  std::vector<Notice> notices{};
  Effects effects{};

  bool empty() const { return notices.empty() && effects.empty(); }
  void clear() {
    notices.clear();
    effects.clear();
  }
};

class Agent {
 public:
  Agent(Tenant::Config config, Random random);
  ~Agent();

  AcquireId acquire(Wish wish, Time now);
  // Ends an acquisition: Refused follows, and what it may hold is cleaned up (T13).
  void cancel(AcquireId id, Time now);
  // Renews a lease now. Renewed, Uncertain or Lost follows, unless it is released first; false when it is held no more.
  bool extend(LeaseId id, Time now);
  // Gives a lease back; held or lost, it is renewed no more. Released follows later. After ReleaseOutcome::failed the
  // lease may be released again (T15).
  void release(LeaseId id, Time now);
  // Its holder has seen that it is not held: Lost follows. It may still be released.
  void give_up(LeaseId id, Time now);
  // Its handle is gone. What was not released is cleaned up, as far as nodes can be reached.
  void forget(LeaseId id, Time now);

  ElectionId start(ElectionPlan plan, Time now);
  // These do nothing for an election that has stopped.
  void stop(ElectionId id, Time now);
  void step_down(ElectionId id, Time now);
  // Of an earlier term it means nothing.
  void drained(ElectionId id, LeaseId term, Time now);
  // Ends all of them, without waiting for work to drain.
  void close_elections(Time now);

  // Takes part in a fleet, of which there is one at a time: FleetJoined or FleetRefused follows. It is over with
  // FleetStopped; without one these do nothing.
  void join(FleetPlan plan, Time now);
  void leave(Time now);
  // The same, without waiting for work to drain.
  void close_fleet(Time now);
  void share(const std::vector<std::string>& sessions, Time now);
  // SessionTaken or SessionRefused follows.
  void take_session(const std::string& session, Time now);
  // False: it is not ours.
  bool give_back(const std::string& session, Time now);
  void session_drained(LeaseId lease, Time now);

  void on_reply(RequestId request, const Reply& reply, Time now);
  // A connection to that node, or to a part of it, was admitted with this record.
  void on_admitted(NodeIndex node, const Record& record, Time now, Part part = 0) {
    tenant_.on_admitted({node, part}, record, now);
  }
  // Messages of that node are heard from now on, or no more.
  void on_listening(NodeIndex node, bool listening, Time now) { tenant_.on_listening(node, listening, now); }
  // A message for a waiter: look again after that long.
  void on_wake_up(NodeIndex node, const Grant& ticket, Duration after, Time now) {
    tenant_.on_wake_up(node, ticket, after, now);
  }
  // What was said on the fleet's channel of changes. A hint.
  void on_change(FleetChange change, Time now);
  void on_timer(Time now);
  // When on_timer is due, if at all.
  std::optional<Time> wake() const;

  Outcome take() { return std::exchange(outcome_, {}); }
  // The same in place of what is there, whose memory is used again. False: there is nothing.
  bool take(Outcome& outcome) {
    outcome.clear();
    std::swap(outcome, outcome_);
    return !outcome.empty();
  }
  // Is there something to take?
  bool stirred() const { return !outcome_.empty(); }

  // To look at.
  const Tenant& tenant() const { return tenant_; }
  const Elections& elections() const { return elections_; }
  // None: it takes part in no fleet.
  const Fleet* fleet() const { return fleet_ ? &*fleet_ : nullptr; }
  // Is nothing held, under way or taken part in? (L9)
  bool idle() const { return tenant_.idle() && elections_.empty() && !fleet_; }

 private:
  void route(Time now);
  void put(Drop drop);

  Tenant tenant_;
  Random random_;  // for the others, who only spread what they do: nonces are the tenant's
  Elections elections_;
  std::optional<Fleet> fleet_;
  std::unique_ptr<Actions> actions_;  // not routed yet
  Outcome outcome_;
};

}  // namespace tenure::core
