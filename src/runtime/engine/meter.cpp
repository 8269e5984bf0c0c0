#include "runtime/engine/meter.hpp"

#include <algorithm>
#include <utility>

namespace tenure::runtime {

namespace {

constexpr std::size_t stopped_max = 1'000;

std::uint64_t& count_of(AcquisitionMetrics& counts, core::RefusalCode code) {
  switch (code) {
    case core::RefusalCode::held:
      return counts.held;
    case core::RefusalCode::no_quorum:
      return counts.no_quorum;
    case core::RefusalCode::not_open:
      return counts.not_open;
    case core::RefusalCode::too_slow:
      return counts.too_slow;
    case core::RefusalCode::waited:
      return counts.waited;
    case core::RefusalCode::cancelled:
      break;
  }
  return counts.cancelled;
}

std::uint64_t& count_of(ReleaseMetrics& counts, core::ReleaseOutcome outcome) {
  switch (outcome) {
    case core::ReleaseOutcome::released:
      return counts.released;
    case core::ReleaseOutcome::expired:
      return counts.expired;
    case core::ReleaseOutcome::taken:
      return counts.taken;
    case core::ReleaseOutcome::failed:
      break;
  }
  return counts.failed;
}

std::uint64_t& count_of(LossMetrics& counts, core::LossReason reason) {
  switch (reason) {
    case core::LossReason::not_renewed:
      return counts.not_renewed;
    case core::LossReason::missing:
      return counts.missing;
    case core::LossReason::taken:
      return counts.taken;
    case core::LossReason::over:
      return counts.hold_over;
    case core::LossReason::closed:
      return counts.closed;
    case core::LossReason::stepped_down:
      return counts.stepped_down;
    case core::LossReason::stopped:
      break;
  }
  return counts.stopped;
}

std::uint64_t& count_of(SessionEndMetrics& counts, core::EndReason reason) {
  switch (reason) {
    case core::EndReason::rebalance:
      return counts.rebalance;
    case core::EndReason::removed:
      return counts.removed;
    case core::EndReason::given_back:
      return counts.released;
    case core::EndReason::stopped:
      return counts.stopped;
    case core::EndReason::not_renewed:
      return counts.not_renewed;
    case core::EndReason::missing:
      return counts.missing;
    case core::EndReason::taken:
      return counts.taken;
    case core::EndReason::closed:
      break;
  }
  return counts.closed;
}

}  // namespace

void Meter::on_granted(core::Duration waited) {
  counts_.acquisitions.granted += 1;
  counts_.wait.add(waited);
}

void Meter::on_refused(core::RefusalCode code) { count_of(counts_.acquisitions, code) += 1; }

void Meter::on_released(core::ReleaseOutcome outcome) { count_of(counts_.releases, outcome) += 1; }

void Meter::on_renewed(core::Duration slack) {
  counts_.renewals.renewed += 1;
  counts_.slack.add(slack);
}

void Meter::on_lost(core::LossReason reason) { count_of(counts_.losses, reason) += 1; }

void Meter::on_ending(const LeaseState& lease, core::Time now) {
  ending_since_.insert_or_assign(lease.id, now);
}

void Meter::on_ended(const LeaseState& lease, core::Time now) {
  // What ends when the client is closed is not told to end.
  const auto since = ending_since_.extract(lease.id);
  if (!since.empty()) counts_.handover.add(now - since.mapped());
}

void Meter::on_started(core::ElectionId election, const std::string& key) {
  Election& started = elections_[election];
  started.key = key;
  const auto before = std::ranges::find(stopped_, key, &Stopped::key);
  if (before == stopped_.end()) {
    started.counts.number = ++last_election_;
  } else {
    started.counts = before->counts;
    started.counts.leader_seen = false;
    stopped_.erase(before);
  }
}

void Meter::on_stopped(core::ElectionId election) {
  Election& stopped = elections_.at(election);
  // Who stands for ever new names is remembered by the last of them.
  if (stopped_.size() >= stopped_max) stopped_.pop_front();
  stopped_.push_back({std::move(stopped.key), stopped.counts});
  elections_.erase(election);
}

void Meter::on_elected(core::ElectionId election, std::shared_ptr<LeaseState> term) {
  elections_.at(election).term = std::move(term);
}

void Meter::on_leader_changed(const core::LeaderChanged& changed) {
  ElectionMetrics& counts = elections_.at(changed.election).counts;
  counts.leader_seen = changed.now.has_value();
  if (!changed.now || changed.now->token == counts.term) return;
  counts.term = changed.now->token;
  counts.leader_changes += 1;
}

void Meter::on_session_taken() {
  fleet_.owned += 1;
  fleet_.gained += 1;
}

void Meter::on_session_ended(core::EndReason reason) {
  fleet_.owned -= 1;
  count_of(fleet_.ended, reason) += 1;
}

Metrics Meter::snapshot(core::Time now) const {
  Metrics metrics = counts_;
  for (const auto& [id, election] : elections_) {
    metrics.elections.push_back(election.counts);
    const auto& term = election.term;
    metrics.elections.back().leads = term && !term->loss.load() && now < term->deadline.load();
  }
  if (joined_) metrics.fleet = fleet_;
  return metrics;
}

}  // namespace tenure::runtime
