#include "cli/doctor/sentinel_findings.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/base/text.hpp"
#include "core/lease/record.hpp"

namespace tenure::cli {

namespace {

using Findings = std::vector<Finding>;

// Replicas say how far they are once a second.
constexpr std::int64_t bytes_behind_max = std::int64_t{1} << 20;

// The one that most of them name.
std::string agreed(const std::vector<SentinelFacts>& sentinels) {
  std::map<std::string, int> votes;
  std::string best;
  for (const SentinelFacts& it : sentinels) {
    if (it.down) continue;
    if (++votes[it.master] > votes[best] || best.empty()) best = it.master;
  }
  return best;
}

void judge_sentinels(Findings& all, const SentinelsShown& group) {
  for (const SentinelFacts& it : group.each) {
    if (it.down) {
      all.push_back({Severity::warning,
                     "sentinel_down",
                     {},
                     "Sentinel " + it.place + " is of no use: " + it.down->detail,
                     "one less to say who the master is, and perhaps one too few to agree on another",
                     "start it, or correct its host and port, the name of the master, or its password"});
    } else if (it.master != group.master) {
      all.push_back(
          {Severity::warning,
           "sentinels_disagree",
           {},
           "Sentinel " + it.place + " names " + it.master + " the master, and most name " + group.master,
           "who reaches this one only is led to another server",
           "if it stays so, see whether a network is cut, or SENTINEL RESET " +
               core::printable(group.name, 60) + " on it"});
    }
  }
  const auto blocked =
      std::ranges::find_if(group.each, [](const SentinelFacts& it) { return it.no_quorum.has_value(); });
  if (blocked == group.each.end()) return;
  all.push_back({Severity::warning,
                 "no_failover",
                 {},
                 "the Sentinels cannot agree on a failover: " + *blocked->no_quorum,
                 "when the master dies nobody is promoted",
                 "start enough Sentinels; SENTINEL CKQUORUM says when they are"});
}

void judge_replicas(Findings& all, const SentinelsShown& group) {
  if (!group.replicas) return;
  if (group.replicas->empty()) {
    all.push_back({Severity::warning,
                   "no_replicas",
                   {},
                   "no replica follows the master",
                   "there is nobody to promote when it dies",
                   "attach replicas"});
  }
  for (const ReplicaFacts& it : *group.replicas) {
    if (it.online && it.bytes_behind <= bytes_behind_max) continue;
    all.push_back(
        {Severity::warning,
         "replica_behind",
         {},
         "replica " + it.place +
             (it.online ? " is " + std::to_string(it.bytes_behind) + " bytes behind"
                        : " is still being sent the data"),
         "a promotion would lose what it lacks: holders put their leases back, but results may be gone",
         "see whether it is too slow, or its network"});
  }
}

}  // namespace

SentinelsShown sentinels_shown(const NodeFacts& node, core::Ttl cap) {
  SentinelsShown shown{
      .name = node.address.group.master, .master = agreed(node.sentinels), .each = node.sentinels};
  if (!node.down && node.info) shown.replicas = replicas_in(*node.info);
  if (!node.down && node.settings) shown.min_replicas = node.settings->min_replicas;
  for (const SentinelFacts& it : node.sentinels) {
    if (it.down_after) shown.down_after = std::max(shown.down_after.value_or(*it.down_after), *it.down_after);
  }
  shown.quarantine = core::quarantine_length(cap);
  return shown;
}

Findings sentinel_findings(const SentinelsShown& group) {
  Findings all;
  judge_sentinels(all, group);
  judge_replicas(all, group);
  return all;
}

}  // namespace tenure::cli
