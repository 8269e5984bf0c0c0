// The elections that one client takes part in, over the leases of its tenant. All actions of the tenant, and of the calls
// below, go through route(): then Acquired of a campaign has become Elected, and so on.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/election/election.hpp"

namespace tenure::core {

class Elections {
 public:
  Elections(Tenant& tenant, Random random) : tenant_(tenant), random_(random) {}

  ElectionId start(ElectionPlan plan, Time now, Actions& actions);
  // These do nothing for an election that has stopped.
  void stop(ElectionId id, Time now, Actions& actions);
  void step_down(ElectionId id, Actions& actions);
  // Of an earlier term it means nothing.
  void drained(ElectionId id, LeaseId term, Time now, Actions& actions);
  // Ends all of them, without waiting for work to drain.
  void close(Time now, Actions& actions);

  void route(Actions& actions, Time now);
  void on_timer(Time now, Actions& actions);
  std::optional<Time> wake() const;
  // Does any of them wait for its turn?
  bool campaigning() const { return !campaigns_.empty(); }
  bool empty() const { return elections_.empty(); }

 private:
  template <class Step>
  void step(ElectionId id, Step&& step);
  template <class Ids, class Id, class Step>
  bool step_by(const Ids& ids, Id id, Step&& what);
  bool route(Action& action, Time now, Actions& more);

  Tenant& tenant_;
  Random random_;
  std::map<ElectionId, Election> elections_;
  std::unordered_map<AcquireId, ElectionId> campaigns_;
  std::unordered_map<LeaseId, ElectionId> terms_;
  std::unordered_map<WatchId, ElectionId> watches_;
  std::set<std::pair<Time, ElectionId>> wakes_;
  std::uint64_t last_ = 0;
};

}  // namespace tenure::core
