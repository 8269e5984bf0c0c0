// Metrics in which everything there can be is there.
#pragma once

#include <utility>

#include "tenure/metrics.hpp"

namespace tenure::test {

inline NodeMetrics sample_node(std::string address) {
  using namespace std::chrono_literals;
  NodeMetrics node;
  node.address = std::move(address);
  node.up = true;
  node.round_trip.add(300us);
  node.failures = 2;
  node.clock_jumps = 1;
  node.clock_offset = -1500us;
  node.quarantined = true;
  node.quarantine_left = 12s;
  return node;
}

inline Metrics sample_metrics() {
  using namespace std::chrono_literals;
  Metrics metrics;
  metrics.leases_held = 3;
  metrics.acquisitions_waiting = 2;
  metrics.acquisitions = {.granted = 10, .held = 4, .no_quorum = 1};
  for (const auto waited : {200us, 200us, 3'000us, 90'000'000us}) metrics.wait.add(waited);
  metrics.renewals = {.renewed = 7, .failed = 1};
  metrics.losses.missing = 1;
  metrics.nodes = {sample_node("redis://a:6379/0"), sample_node("redis://b:6379/0")};
  metrics.elections = {{.number = 1, .leads = true, .leader_seen = true, .term = 42, .leader_changes = 3},
                       {.number = 2, .term = 7}};
  metrics.fleet = FleetMetrics{.sessions = 10, .owned = 4, .share = 5, .instances = 2, .gained = 6};
  metrics.fleet->data = sample_node("redis://data:6379/0");
  return metrics;
}

inline PollerMetrics sample_poller() {
  using namespace std::chrono_literals;
  PollerMetrics metrics{.succeeded = 5, .failed = 2, .aborted = 1, .in_flight = 3};
  metrics.lateness.add(4ms);
  metrics.latency.add(70ms);
  return metrics;
}

}  // namespace tenure::test
