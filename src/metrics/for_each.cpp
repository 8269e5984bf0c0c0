// The names of all metrics, and what each is filled with. docs/metrics.md lists them; a test compares.
#include <array>
#include <string>
#include <utility>

#include "metrics/node_families.hpp"
#include "tenure/metrics.hpp"

namespace tenure {

namespace {

using Visit = std::function<void(const Metric&)>;
using Type = Metric::Type;
using Labels = std::span<const Metric::Label>;

using metrics::Family;

template <class Number>
void tell(const Visit& visit, const Family& family, Type type, Labels labels, Number value) {
  visit({family.name, family.help, type, labels, static_cast<double>(value)});
}

template <class Number>
void counter(const Visit& visit, const Family& family, Number value, Labels labels = {}) {
  tell(visit, family, Type::counter, labels, value);
}

template <class Number>
void gauge(const Visit& visit, const Family& family, Number value, Labels labels = {}) {
  tell(visit, family, Type::gauge, labels, value);
}

void histogram(const Visit& visit, const Family& family, const Histogram& value, Labels labels = {}) {
  visit({family.name, family.help, Type::histogram, labels, 0, &value});
}

// One counter for each value of a label.
using Count = std::pair<std::string_view, std::uint64_t>;
void counters(const Visit& visit, const Family& family, std::string_view label,
              std::initializer_list<Count> counts) {
  for (const auto& [value, count] : counts) {
    const std::array labels{Metric::Label{label, value}};
    counter(visit, family, count, labels);
  }
}

double seconds(std::chrono::nanoseconds length) { return std::chrono::duration<double>(length).count(); }

void tell_leases(const Metrics& it, const Visit& visit) {
  gauge(visit, {"tenure_leases_held", "Leases held now, those of leaders and of sessions included."},
        it.leases_held);
  gauge(visit, {"tenure_acquisitions_waiting", "Calls that wait for a lock now."}, it.acquisitions_waiting);
  const auto& asked = it.acquisitions;
  counters(visit, {"tenure_acquisitions_total", "Calls that asked for a lock, by how they ended."}, "outcome",
           {{"granted", asked.granted},
            {"held", asked.held},
            {"no_quorum", asked.no_quorum},
            {"not_open", asked.not_open},
            {"too_slow", asked.too_slow},
            {"waited", asked.waited},
            {"cancelled", asked.cancelled}});
  histogram(visit, {"tenure_acquisition_wait_seconds", "Time from asking for a lock until it was granted."},
            it.wait);
  counters(visit,
           {"tenure_renewals_total", "Renewals of leases, by how they ended; what failed is tried again."},
           "outcome", {{"renewed", it.renewals.renewed}, {"failed", it.renewals.failed}});
  histogram(visit, {"tenure_renewal_seconds", "Time from sending renewals to a node until it answered."},
            it.renewal);
  histogram(visit,
            {"tenure_renewal_slack_seconds", "What was left of a lease when its renewal was confirmed."},
            it.slack);
  counters(visit, {"tenure_releases_total", "Locks given back, by the answer."}, "outcome",
           {{"released", it.releases.released},
            {"expired", it.releases.expired},
            {"taken", it.releases.taken},
            {"failed", it.releases.failed}});
  const auto& lost = it.losses;
  counters(visit,
           {"tenure_losses_total", "Leases lost, those of leaders and of sessions included, by the reason."},
           "reason",
           {{"not_renewed", lost.not_renewed},
            {"missing", lost.missing},
            {"taken", lost.taken},
            {"hold_over", lost.hold_over},
            {"closed", lost.closed},
            {"stepped_down", lost.stepped_down},
            {"stopped", lost.stopped}});
  histogram(visit,
            {"tenure_handover_seconds",
             "Time from telling the work of a leader or on a session to end until its lease was given back."},
            it.handover);
}

struct SeenNode {
  std::string index;
  const NodeMetrics& metrics;
};

// What all of them show of one family.
template <class Tell>
void for_nodes(const std::vector<SeenNode>& nodes, const Tell& tell) {
  for (const auto& [index, metrics] : nodes) {
    const std::array labels{Metric::Label{"node", index}, Metric::Label{"address", metrics.address}};
    tell(metrics, Labels(labels));
  }
}

void tell_nodes(const Metrics& it, const Visit& visit) {
  std::vector<SeenNode> nodes;
  for (const NodeMetrics& node : it.nodes) nodes.push_back({std::to_string(nodes.size() + 1), node});
  const std::vector<SeenNode> of_leases = nodes;
  if (it.fleet && it.fleet->data) nodes.push_back({"data", *it.fleet->data});

  for_nodes(nodes, [&](const NodeMetrics& node, Labels labels) {
    if (!node.up) return;
    gauge(visit, metrics::node_up, *node.up, labels);
  });
  for_nodes(nodes, [&](const NodeMetrics& node, Labels labels) {
    histogram(
        visit,
        {"tenure_node_round_trip_seconds",
         "Time from a request to the node until its answer; the first on a connection includes connecting."},
        node.round_trip, labels);
  });
  for_nodes(nodes, [&](const NodeMetrics& node, Labels labels) {
    counter(visit,
            {"tenure_node_failures_total", "Requests to the node that were not answered, or not in time."},
            node.failures, labels);
  });
  for_nodes(of_leases, [&](const NodeMetrics& node, Labels labels) {
    counter(visit,
            {"tenure_node_clock_jumps_total",
             "How often the node's clock has jumped; its grants do not count for a while then."},
            node.clock_jumps, labels);
  });
  for_nodes(of_leases, [&](const NodeMetrics& node, Labels labels) {
    if (!node.clock_offset) return;
    gauge(visit, metrics::node_clock_offset, seconds(*node.clock_offset), labels);
  });
  for_nodes(of_leases, [&](const NodeMetrics& node, Labels labels) {
    gauge(visit, metrics::node_quarantined, node.quarantined, labels);
  });
  for_nodes(of_leases, [&](const NodeMetrics& node, Labels labels) {
    if (!node.quarantine_left) return;
    gauge(visit,
          {"tenure_node_quarantine_left_seconds", "How long the quarantine of the node lasts at most."},
          seconds(*node.quarantine_left), labels);
  });
}

template <class Tell>
void for_elections(const Metrics& it, const Tell& tell) {
  for (const ElectionMetrics& election : it.elections) {
    const std::string number = std::to_string(election.number);
    const std::array labels{Metric::Label{"election", number}};
    tell(election, Labels(labels));
  }
}

void tell_elections(const Metrics& it, const Visit& visit) {
  for_elections(it, [&](const ElectionMetrics& election, Labels labels) {
    gauge(visit, {"tenure_election_is_leader", "Whether this client leads."}, election.leads, labels);
  });
  for_elections(it, [&](const ElectionMetrics& election, Labels labels) {
    gauge(visit, {"tenure_election_leader_seen", "Whether anybody leads, as far as can be seen from here."},
          election.leader_seen, labels);
  });
  for_elections(it, [&](const ElectionMetrics& election, Labels labels) {
    gauge(visit, {"tenure_election_term", "The term of the leader that was seen last."}, election.term,
          labels);
  });
  for_elections(it, [&](const ElectionMetrics& election, Labels labels) {
    counter(visit, {"tenure_election_leader_changes_total", "How often another term was seen to begin."},
            election.leader_changes, labels);
  });
}

void tell_fleet(const FleetMetrics& it, const Visit& visit) {
  gauge(visit, {"tenure_fleet_instances", "Instances of the fleet that live, this one included."},
        it.instances);
  gauge(visit, {"tenure_fleet_sessions", "Sessions that the fleet shares."}, it.sessions);
  gauge(visit, {"tenure_fleet_sessions_owned", "Sessions that this instance owns."}, it.owned);
  if (it.share) {
    gauge(visit, {"tenure_fleet_sessions_share", "Sessions that this instance should own."}, *it.share);
  }
  counter(visit, {"tenure_fleet_sessions_gained_total", "Sessions that this instance has taken."}, it.gained);
  const auto& ended = it.ended;
  counters(visit,
           {"tenure_fleet_sessions_ended_total", "Sessions that this instance has given back or lost."},
           "reason",
           {{"rebalance", ended.rebalance},
            {"removed", ended.removed},
            {"released", ended.released},
            {"stopped", ended.stopped},
            {"not_renewed", ended.not_renewed},
            {"missing", ended.missing},
            {"taken", ended.taken},
            {"closed", ended.closed}});
}

}  // namespace

void for_each(const Metrics& metrics, const Visit& visit) {
  tell_leases(metrics, visit);
  tell_nodes(metrics, visit);
  tell_elections(metrics, visit);
  if (metrics.fleet) tell_fleet(*metrics.fleet, visit);
}

void for_each(const PollerMetrics& metrics, const Visit& visit) {
  counters(visit, {"tenure_polls_total", "Polls that have ended, by how."}, "outcome",
           {{"succeeded", metrics.succeeded}, {"failed", metrics.failed}, {"aborted", metrics.aborted}});
  gauge(visit, {"tenure_polls_in_flight", "Polls that are under way."}, metrics.in_flight);
  histogram(visit, {"tenure_poll_lateness_seconds", "Time from when a poll was due until it began."},
            metrics.lateness);
  histogram(visit, {"tenure_poll_latency_seconds", "Time that polls took, to the millisecond."},
            metrics.latency);
  counter(visit,
          {"tenure_poll_results_refused_total", "Results that were not stored: their lease had passed on."},
          metrics.results_refused);
  counter(
      visit,
      {"tenure_poll_results_dropped_total", "Results that were dropped: their store was away for too long."},
      metrics.results_dropped);
}

}  // namespace tenure
