#include "cli/doctor/sentinel_findings.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.hpp"
#include "core/lease/record.hpp"

namespace tenure::cli {

namespace {

using Findings = std::vector<Finding>;

// Replicas say how far they are once a second.
constexpr std::int64_t bytes_behind_max = std::int64_t{1} << 20;

std::ptrdiff_t votes(const std::vector<SentinelFacts>& sentinels, const std::string& master) {
  return std::ranges::count_if(sentinels,
                               [&](const SentinelFacts& it) { return !it.down && it.master == master; });
}

// The one that most of them name; at a tie, the one that is named first.
std::string agreed(const std::vector<SentinelFacts>& sentinels) {
  std::string best;
  for (const SentinelFacts& it : sentinels) {
    if (!it.down && votes(sentinels, it.master) > votes(sentinels, best)) best = it.master;
  }
  return best;
}

Finding disagreement(const SentinelFacts& sentinel, const SentinelsShown& group) {
  const bool tie = votes(group.each, sentinel.master) == votes(group.each, group.master);
  const std::string reset = "SENTINEL RESET " + core::printable(group.name, 60);
  return {Severity::warning,
          "sentinels_disagree",
          {},
          "Sentinel " + sentinel.place + " names " + sentinel.master + " the master, and " +
              (tie ? "as many name " : "most name ") + group.master,
          "who reaches this one only is led to another server",
          "if it stays so, see whether a network is cut, or " +
              (tie ? "which of the two is the master, and " + reset + " where the other is named"
                   : reset + " on it")};
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
      all.push_back(disagreement(it, group));
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

// A master that is cut off with some of its replicas, while others are on the side of the Sentinels. That it needs none at all, or
// has too few, is judged with the node.
void judge_min_replicas(Findings& all, const SentinelsShown& group) {
  if (!group.replicas || !group.min_replicas || *group.min_replicas == 0) return;
  const int following = static_cast<int>(group.replicas->size());
  const int needed = *group.min_replicas;
  if (needed > following || group.max_lag == core::Duration::zero()) return;
  // One that does not follow now may be promoted once it does again.
  const int replicas = std::max(following, replicas_known(group.each));
  const int majority = replicas_for_majority(replicas);
  const std::string found = "min-replicas-to-write is " + std::to_string(needed) + ", and " +
                            (replicas > following ? std::to_string(following) + " of " : "") +
                            std::to_string(replicas) +
                            (replicas == 1 ? " replica follows" : " replicas follow") + " the master";
  if (needed == replicas) {
    all.push_back(
        {Severity::note,
         "min_replicas_all",
         {},
         found,
         "while one replica is missing there are no leases, and after a failover one is, until the server "
         "that failed is back",
         replicas == 1 ? "attach another replica: then 1 still keeps two masters from granting"
                       : "with " + std::to_string(majority) +
                             " on every server there are leases while one is missing, and two masters "
                             "still cannot both grant"});
  } else if (needed < majority) {
    all.push_back({Severity::warning,
                   "min_replicas_low",
                   {},
                   found,
                   "cut off together with " + std::to_string(needed) +
                       " of them it would go on granting beside a promoted one that has as many: two owners",
                   "CONFIG SET min-replicas-to-write " + std::to_string(majority) +
                       " on every server, and the same in redis.conf"});
  } else {
    all.push_back(
        {Severity::note,
         "min_replicas_partial",
         {},
         found,
         "cut off together with " + std::to_string(needed) +
             " of them it goes on granting; a promoted one then has too few, and grants nothing, "
             "if it has the same setting",
         "see that every server has it; " + std::to_string(replicas) +
             " would not rest on the others, but with it there are no leases while one replica is missing"});
  }
}

// A master counts a replica for so long after it last heard of it. Sentinels that are quicker promote another meanwhile.
void judge_max_lag(Findings& all, const SentinelsShown& group) {
  if (!group.max_lag || !group.min_replicas || *group.min_replicas == 0) return;
  std::optional<core::Duration> soonest;
  for (const SentinelFacts& it : group.each) {
    if (it.down_after) soonest = std::min(soonest.value_or(*it.down_after), *it.down_after);
  }
  if (!soonest) return;
  // Redis counts in whole seconds.
  const auto fitting = std::max(std::chrono::floor<std::chrono::seconds>(*soonest), std::chrono::seconds(1));
  if (*group.max_lag <= fitting) return;
  all.push_back(
      {Severity::warning,
       "max_lag",
       {},
       "min-replicas-max-lag is " + core::to_text(*group.max_lag) +
           ", and the Sentinels begin a failover after " + core::to_text(*soonest),
       "cut off from its replicas the master would go on granting for as long as that beside a promoted one: "
       "two owners",
       "CONFIG SET min-replicas-max-lag " + std::to_string(fitting.count()) +
           " on every server, and the same in redis.conf"});
}

}  // namespace

SentinelsShown sentinels_shown(const NodeFacts& node, core::Ttl cap) {
  SentinelsShown shown{
      .name = node.address.group.master, .master = agreed(node.sentinels), .each = node.sentinels};
  if (!node.down && node.info) shown.replicas = replicas_in(*node.info);
  if (!node.down && node.settings) {
    shown.min_replicas = node.settings->min_replicas;
    shown.max_lag = node.settings->max_lag;
  }
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
  judge_min_replicas(all, group);
  judge_max_lag(all, group);
  return all;
}

}  // namespace tenure::cli
