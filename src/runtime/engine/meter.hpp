// Counts what the core tells, for Client::metrics(). Plain numbers, guarded by the engine's mutex, which is locked anyway whenever
// something is told.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/notice.hpp"
#include "runtime/engine/leases.hpp"
#include "tenure/metrics.hpp"

namespace tenure::runtime {

class Meter {
 public:
  explicit Meter(std::size_t nodes) : clock_jumps_(nodes) {}

  // Of callers who wanted a lock; campaigns and the sessions of a fleet are counted below.
  void on_granted(core::Duration waited);
  void on_refused(core::RefusalCode code);
  void on_released(core::ReleaseOutcome outcome);

  // Of all leases.
  void on_renewed(core::Duration slack);
  void on_lost(core::LossReason reason);
  void on_clock_jumped(core::NodeIndex node) { clock_jumps_.at(node) += 1; }
  std::uint64_t clock_jumps(core::NodeIndex node) const { return clock_jumps_.at(node); }

  // Of terms and sessions: their work is told to end, and they are given back.
  void on_ending(const LeaseState& lease, core::Time now);
  void on_ended(const LeaseState& lease, core::Time now);

  // One of a name that had one before goes on with its number and its counts.
  void on_started(core::ElectionId election, const std::string& key);
  void on_elected(core::ElectionId election, std::shared_ptr<LeaseState> term);
  void on_leader_changed(const core::LeaderChanged& changed);
  void on_stopped(core::ElectionId election);

  void on_joined() { joined_ = true; }
  void on_session_taken();
  void on_session_ended(core::EndReason reason);

  // All that is counted here.
  Metrics snapshot(core::Time now) const;

 private:
  struct Election {
    std::string key{};
    ElectionMetrics counts{};
    std::shared_ptr<LeaseState> term{};  // the last of ours
  };

  Metrics counts_;
  std::vector<std::uint64_t> clock_jumps_;  // by node
  std::map<core::ElectionId, Election> elections_;
  struct Stopped {
    std::string key{};
    ElectionMetrics counts{};
  };
  // In the order in which they were stopped; several of one key, if they ran beside one another.
  std::deque<Stopped> stopped_;
  std::uint64_t last_election_ = 0;
  bool joined_ = false;  // a fleet, now or before
  FleetMetrics fleet_;
  std::map<core::LeaseId, core::Time> ending_since_;  // of terms and sessions whose work was told to end
};

}  // namespace tenure::runtime
