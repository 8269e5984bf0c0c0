// What a client has done and how it is, in numbers: a snapshot of plain values, and a visitor that hands them to any exporter.
// There is no registry, and no name of a lock, an election or a session in it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {

/// Lengths of time, sorted into buckets that are the same for all histograms.
struct Histogram {
  /// Upper bounds in seconds, each included.
  static constexpr std::array<double, 18> bounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                 0.01,   0.025,   0.05,   0.1,   0.25,   0.5,
                                                 1,      2.5,     5,      10,    30,     60};

  /// By bucket, not cumulative; the last is for what is longer than all bounds.
  std::array<std::uint64_t, bounds.size() + 1> counts{};
  double sum = 0;  // in seconds

  /// A negative length counts as none.
  void add(std::chrono::nanoseconds length) {
    const double seconds = std::max(0.0, std::chrono::duration<double>(length).count());
    counts[static_cast<std::size_t>(std::ranges::lower_bound(bounds, seconds) - bounds.begin())] += 1;
    sum += seconds;
  }
  [[nodiscard]] std::uint64_t count() const {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
};

/// Calls that asked for a lock, by how they ended.
struct AcquisitionMetrics {
  std::uint64_t granted = 0;
  std::uint64_t held = 0;       // by somebody else
  std::uint64_t no_quorum = 0;  // too few nodes answered
  std::uint64_t not_open = 0;   // the nodes give no new leases: a quarantine, or another node set
  std::uint64_t too_slow = 0;   // granted so late that it was of no use
  std::uint64_t waited = 0;     // Wait::wait_max was over
  std::uint64_t cancelled = 0;  // stopped, or the client was closed
};

/// Renewals of leases, those of terms and sessions included: one for each lease, however many went in one request.
struct RenewalMetrics {
  std::uint64_t renewed = 0;
  std::uint64_t failed = 0;  // each try that a majority did not answer in time; another follows
};

/// Locks given back, by the answer.
struct ReleaseMetrics {
  std::uint64_t released = 0;
  std::uint64_t expired = 0;  // it had run out before
  std::uint64_t taken = 0;    // it had run out, and another had the name
  std::uint64_t failed = 0;   // no answer; it is tried again
};

/// Leases lost, those of terms and sessions included, by the reason (Loss).
struct LossMetrics {
  std::uint64_t not_renewed = 0;
  std::uint64_t missing = 0;
  std::uint64_t taken = 0;
  std::uint64_t hold_over = 0;
  std::uint64_t closed = 0;
  std::uint64_t stepped_down = 0;
  std::uint64_t stopped = 0;
};

/// One node, seen from here.
struct NodeMetrics {
  std::string address{};     // without its password
  std::optional<bool> up{};  // was the last request answered, be it by an error? Unset: none was sent yet
  Histogram round_trip{};    // of requests that were answered; the first on a connection includes connecting
  std::uint64_t failures = 0;                              // requests that were not
  std::uint64_t clock_jumps = 0;                           // its grants did not count for a while after each
  std::optional<std::chrono::nanoseconds> clock_offset{};  // its wall clock minus ours, when last looked at
  /// It gives no new leases to anybody, as far as this client has heard.
  bool quarantined = false;
  std::optional<std::chrono::nanoseconds> quarantine_left{};  // at most; unset: not known
};

/// One election that this client takes part in or observes.
struct ElectionMetrics {
  std::uint64_t number = 0;  // of its name in this client, from 1; another client may number it differently
  bool leads = false;
  bool leader_seen = false;          // somebody leads, as far as can be seen from here
  std::uint64_t term = 0;            // of the leader that was last seen, or ours
  std::uint64_t leader_changes = 0;  // how often another term was seen to begin
};

/// Sessions given back, by the reason (SessionEnd).
struct SessionEndMetrics {
  std::uint64_t rebalance = 0;
  std::uint64_t removed = 0;
  std::uint64_t released = 0;
  std::uint64_t stopped = 0;
  std::uint64_t not_renewed = 0;
  std::uint64_t missing = 0;
  std::uint64_t taken = 0;
  std::uint64_t closed = 0;
};

/// The fleet that this client takes part in.
struct FleetMetrics {
  std::size_t sessions = 0;  // that there are to share
  std::size_t owned = 0;     // by this instance, those that are ending included
  /// How many of them it should own, as placement sees it. Unset: that is not known yet.
  std::optional<std::size_t> share{};
  std::size_t instances = 0;  // that live, this one included
  std::uint64_t gained = 0;   // sessions that became ours
  SessionEndMetrics ended{};  // and those that are ours no more
  /// Where its heartbeats are, unless that is the first node.
  std::optional<NodeMetrics> data{};
};

/// A client at one moment. Counts begin with 0 when it is opened.
struct Metrics {
  std::size_t leases_held = 0;  // now, those of terms and sessions included
  /// Calls that have asked for a lock, and have neither been granted nor refused yet.
  std::size_t acquisitions_waiting = 0;
  AcquisitionMetrics acquisitions{};
  Histogram wait{};  // from asking for a lock until it was granted
  RenewalMetrics renewals{};
  Histogram renewal{};  // from sending renewals to a node until it answered
  Histogram slack{};    // how much of a lease was left when its renewal was confirmed
  ReleaseMetrics releases{};
  LossMetrics losses{};
  Histogram handover{};  // of terms and sessions: from telling the work to end until they were given back
  std::vector<NodeMetrics> nodes{};
  std::vector<ElectionMetrics> elections{};
  std::optional<FleetMetrics> fleet{};
};

/// What a Poller has done.
struct PollerMetrics {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t aborted = 0;  // their lease was being lost
  std::size_t in_flight = 0;
  Histogram lateness{};  // from when a poll was due until it began
  Histogram latency{};   // of polls that ended by themselves, well or not
  std::uint64_t results_refused = 0;
  std::uint64_t results_dropped = 0;  // the store was away for too long
};

/// One number or histogram, as exporters want it: named by the conventions of Prometheus, in seconds.
struct Metric {
  enum class Type : std::uint8_t { counter, gauge, histogram };
  struct Label {
    std::string_view name{};
    std::string_view value{};
  };

  std::string_view name{};  // "tenure_acquisitions_total"
  std::string_view help{};  // a sentence
  Type type{};
  std::span<const Label> labels{};
  double value = 0;                      // of a counter or gauge
  const Histogram* histogram = nullptr;  // of a histogram; valid during the call
};

/// Calls this for each of them, those of one name one after the other. The texts are valid during the call.
void for_each(const Metrics& metrics, const std::function<void(const Metric&)>& visit);
void for_each(const PollerMetrics& metrics, const std::function<void(const Metric&)>& visit);

}  // namespace tenure
