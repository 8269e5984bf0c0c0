// The engine in numbers: what the meter has counted, what the lines have, and what can be looked at now. Asks nobody.
#include "runtime/boot_clock.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::runtime {

namespace {

// What a node's clock showed, minus what ours showed in the middle of asking for it.
std::optional<std::chrono::nanoseconds> offset_of(const std::optional<core::ClockWatch::Look>& look,
                                                  core::Time now) {
  if (!look) return std::nullopt;
  const core::Duration ago = now - (look->after + (look->before - look->after) / 2);
  return look->shown - (std::chrono::milliseconds(wall_now_ms()) - ago);
}

}  // namespace

NodeMetrics Engine::node_metrics(core::NodeIndex index, const Node& node) const {
  const Lines::Traffic& traffic = lines_.traffic(index);
  NodeMetrics metrics;
  metrics.address = node.name();
  metrics.up = traffic.up;
  metrics.round_trip = traffic.round_trip;
  metrics.failures = traffic.failures;
  return metrics;
}

Metrics Engine::metrics() {
  if (forked()) return {};
  const Hold hold(reactor_);
  const core::Time now = boot_now();
  Metrics metrics = meter_.snapshot(now);
  metrics.leases_held = leases_.held();
  metrics.acquisitions_waiting = calls_.acquiring() + deferred_.size() + held_back_;
  metrics.renewals.failed = agent_.tenant().failed_renewals();
  metrics.renewal = lines_.renewal();
  for (core::NodeIndex index = 0; index < lines_.data_index(); ++index) {
    NodeMetrics node = node_metrics(index, lines_.node(index));
    node.quarantined = agent_.tenant().quarantined(index);
    if (const auto over_by = agent_.tenant().open_by({index})) {
      node.quarantine_left = std::max(*over_by - now, core::Duration::zero());
    }
    node.clock_jumps = meter_.clock_jumps(index);
    node.clock_offset = offset_of(agent_.tenant().clocks().last_look(index), now);
    metrics.nodes.push_back(std::move(node));
  }
  if (const core::Fleet* fleet = agent_.fleet(); fleet && metrics.fleet) {
    metrics.fleet->sessions = fleet->shared();
    metrics.fleet->share = fleet->quota();
    metrics.fleet->instances = fleet->members().size();
    if (const Node* data = lines_.data()) metrics.fleet->data = node_metrics(lines_.data_index(), *data);
  }
  return metrics;
}

}  // namespace tenure::runtime
