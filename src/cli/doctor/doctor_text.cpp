#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "cli/doctor/doctor_output.hpp"
#include "cli/plural.hpp"
#include "core/base/text.hpp"
#include "core/lease/record.hpp"
#include "redis/cluster/slot.hpp"

namespace tenure::cli {

namespace {

void heading(std::string& text, std::string_view words, const Paint& paint) {
  static constexpr std::string_view rule = "=======================================\n";
  text.append(rule).append(paint(Tone::heading, words)).append("\n").append(rule);
}

void add_sentinel_lines(std::string& text, const SentinelsShown& group, const Paint& paint) {
  for (const SentinelFacts& it : group.each) {
    text += "  Sentinel " + it.place + "... ";
    text += it.down ? paint(Tone::bad, "DOWN") + " (" + it.down->detail + ")"
                    : paint(Tone::good, "UP") + ", names " + it.master;
    text += "\n";
  }
}

std::string milliseconds_text(core::Duration duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2fms",
                std::chrono::duration<double, std::milli>(duration).count());
  return text.data();
}

std::string up_text(const std::optional<core::Duration>& round_trip, const Paint& paint) {
  return paint(Tone::good, "UP") + (round_trip ? ", round trip " + milliseconds_text(*round_trip) : "");
}

void add_cluster_lines(std::string& text, const ClusterShown& cluster, const Paint& paint) {
  for (const MasterShown& it : cluster.masters) {
    text += "  Master " + it.place + " (" + plural(it.slots, "slot") + ")... ";
    text += it.down ? paint(Tone::bad, "DOWN") + " (" + *it.down + ")" : up_text(it.round_trip, paint);
    text += "\n";
    for (const ReplicaShown& replica : it.replicas) {
      text += "    Replica " + replica.place + "... ";
      text += replica.down ? paint(Tone::bad, "DOWN") + " (" + *replica.down + ")"
                           : up_text(replica.round_trip, paint);
      text += "\n";
    }
  }
}

// "Slots: 16384 served, of which 16380 give leases, 4 are quarantined; cluster_state ok"
std::string slots_text(const ClusterShown& cluster) {
  const SlotCounts counts = cluster.records();
  std::string text = "Slots: " + std::to_string(cluster.slots_served) + " of " +
                     std::to_string(redis::slots) + " are served; " + std::to_string(counts.open) +
                     " give leases";
  for (const auto& [count, what] : {std::pair(counts.quarantined, " quarantined"),
                                    {counts.restarted, " of before a start, a failover or a move"},
                                    {counts.absent, " without a record"},
                                    {counts.other, " of another cap or set"}}) {
    if (count > 0) text += ", " + std::to_string(count) + what;
  }
  return text + (cluster.state.empty() ? "" : "; cluster_state " + core::printable(cluster.state, 20)) + "\n";
}

void check_line(std::string& text, const Diagnosis& diagnosis, std::size_t node, const Paint& paint) {
  const NodeShown& shown = diagnosis.nodes[node];
  text += "Checking " + diagnosis.kind + " node " + shown.place + "... ";
  if (shown.down) {
    text += paint(Tone::bad, "DOWN") + " (" + shown.down->detail + ")";
  } else if (const Finding* finding = diagnosis.worst(node)) {
    text += paint(Tone::warning, "UP, but not healthy") + ": " + finding->what;
  } else {
    text += paint(Tone::good, "UP");
  }
  text += "\n";
  if (shown.sentinels) add_sentinel_lines(text, *shown.sentinels, paint);
  if (shown.cluster) add_cluster_lines(text, *shown.cluster, paint);
}

// "mymaster: master 10.0.0.1:6379, 2 replicas (0 and 14 bytes behind), …"
std::string group_text(const SentinelsShown& group) {
  std::string text = "Sentinels' " + core::printable(group.name, 60) + ": " +
                     (group.master.empty() ? "no master is known" : "master " + group.master);
  if (group.replicas) {
    std::string behind;
    for (const ReplicaFacts& it : *group.replicas) {
      behind += (behind.empty() ? "" : ", ") + it.place + ": " +
                (it.online ? std::to_string(it.bytes_behind) + " bytes behind" : "not online");
    }
    const std::size_t count = group.replicas->size();
    text += ", " + std::to_string(count) + (count == 1 ? " replica" : " replicas") +
            (behind.empty() ? "" : " (" + behind + ")");
  }
  if (group.min_replicas) text += ", min-replicas-to-write " + std::to_string(*group.min_replicas);
  if (group.max_lag) text += ", min-replicas-max-lag " + core::to_text(*group.max_lag);
  if (const auto pause = group.without_new_leases()) {
    text += "; a failover is begun after " + core::to_text(*group.down_after) +
            ", and new leases are granted about " + core::to_text(*pause) +
            " after the master died (holders keep theirs where their TTL outlasts the failover)";
  }
  return text + "\n";
}

std::string status_words(const Diagnosis& diagnosis, const Paint& paint) {
  switch (diagnosis.status()) {
    case Status::healthy:
      return paint(Tone::good, "ALL NODES HEALTHY");
    case Status::degraded:
      return paint(Tone::warning, "DEGRADED, A QUORUM STANDS");
    case Status::no_quorum:
      break;
  }
  return paint(Tone::bad, "NO QUORUM");
}

std::string verdict(const Diagnosis& diagnosis) {
  const std::string of_all = " of " + std::to_string(diagnosis.nodes.size()) + " nodes";
  switch (diagnosis.status()) {
    case Status::healthy:
      return "Cluster is ready for distributed locking!";
    case Status::degraded:
      return "Cluster is ready for distributed locking, on " + std::to_string(diagnosis.healthy_count()) +
             of_all + ".";
    case Status::no_quorum:
      break;
  }
  if (diagnosis.all_new()) {
    return "Cluster is not ready for distributed locking yet. If it is new" + diagnosis.how_to_init;
  }
  return "Cluster is not ready for distributed locking: " + std::to_string(diagnosis.quorum()) + of_all +
         " must be healthy.";
}

void add_details(std::string& text, const Diagnosis& diagnosis) {
  for (const NodeShown& node : diagnosis.nodes) {
    if (node.sentinels) text += group_text(*node.sentinels);
    if (node.cluster) text += slots_text(*node.cluster);
    if (node.down) continue;
    text += node.name + ": " + (node.version.empty() ? "version unknown" : node.version);
    if (node.postgresql && node.postgresql->tls) text += *node.postgresql->tls ? ", TLS" : ", no TLS";
    if (node.postgresql && node.postgresql->schema.value_or(0) > 0) {
      text += ", schema version " + std::to_string(*node.postgresql->schema);
    }
    if (node.round_trip) text += ", round trip " + milliseconds_text(*node.round_trip);
    if (node.record && node.record->read) {
      text += ", leases of at most " + core::to_text(node.record->read->terms.cap);
    }
    text += "\n";
  }
}

Tone tone_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return Tone::bad;
    case Severity::warning:
      return Tone::warning;
    case Severity::note:
      break;
  }
  return Tone::plain;
}

bool same(const Finding& one, const Finding& other) {
  return one.code == other.code && one.what == other.what && one.advice == other.advice;
}

// What is to be said of several nodes is said once.
void add_findings(std::string& text, const Diagnosis& diagnosis, const Paint& paint) {
  const auto& all = diagnosis.findings;
  for (auto it = all.begin(); it != all.end(); ++it) {
    if (std::find_if(all.begin(), it, [&](const Finding& before) { return same(before, *it); }) != it)
      continue;
    text.append("\n").append(paint(tone_of(it->severity), word_for(it->severity))).append(": ");
    std::string which;
    for (const Finding& finding : all) {
      if (!finding.node || !same(finding, *it)) continue;
      which += (which.empty() ? "" : ", ") + diagnosis.nodes[*finding.node].name;
    }
    text += which + (which.empty() ? "" : ": ") + it->what;
    text += "\n  why: " + it->why + "\n  do:  " + it->advice + "\n";
  }
}

}  // namespace

std::string doctor_text(const Diagnosis& diagnosis, const Paint& paint) {
  std::string text;
  heading(text, "Checking " + diagnosis.kind + " cluster health...", paint);
  text += "\n";
  for (std::size_t i = 0; i < diagnosis.nodes.size(); ++i) check_line(text, diagnosis, i, paint);
  text += "\n";
  heading(text, "Health Check Summary", paint);
  text += "Healthy nodes: " + std::to_string(diagnosis.healthy_count()) + " / " +
          std::to_string(diagnosis.nodes.size()) + "\n";
  text += "Status: " + status_words(diagnosis, paint) + "\n\n" + verdict(diagnosis) + "\n\n";
  add_details(text, diagnosis);
  add_findings(text, diagnosis, paint);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace tenure::cli
