#include "cli/doctor/cluster_findings.hpp"

#include <algorithm>
#include <utility>

#include "cli/doctor/set_findings.hpp"
#include "cli/plural.hpp"
#include "core/base/text.hpp"
#include "core/lease/record.hpp"
#include "redis/cluster/slot.hpp"

namespace tenure::cli {

namespace {

using Findings = std::vector<Finding>;

void add(Findings& all, Severity severity, std::string code, std::string what, std::string why,
         std::string advice) {
  all.push_back({severity, std::move(code), {}, std::move(what), std::move(why), std::move(advice)});
}

std::string slots_text(std::size_t count) { return plural(count, "slot"); }
std::string of_all_slots(std::size_t count) {
  return std::to_string(count) + " of " + slots_text(redis::slots);
}

// What several masters have in common is said once, with their places before it.
class OfMasters {
 public:
  void add(const std::string& place, const Finding& finding) {
    const auto same = std::ranges::find_if(found_, [&](const auto& it) {
      return it.second.code == finding.code && it.second.what == finding.what &&
             it.second.advice == finding.advice;
    });
    if (same != found_.end()) {
      same->first += ", " + place;
    } else {
      found_.emplace_back(place, finding);
    }
  }
  Findings take() {
    Findings all;
    for (auto& [places, finding] : found_) {
      finding.node.reset();
      finding.what = places + ": " + finding.what;
      all.push_back(std::move(finding));
    }
    return all;
  }

 private:
  std::vector<std::pair<std::string, Finding>> found_;
};

void judge_servers(Findings& all, const ClusterFacts& facts, const Criteria& criteria) {
  OfMasters of_masters;
  std::vector<std::optional<NodeInSet>> set;
  for (const MasterFacts& it : facts.masters) {
    if (it.facts.down) {
      set.emplace_back();
      continue;
    }
    for (const Finding& finding : findings_of(it.facts, criteria)) of_masters.add(it.place, finding);
    const auto& info = it.facts.info;
    set.push_back(NodeInSet{it.place, info ? std::string(info->field("run_id")) : "",
                            it.facts.clock_ahead ? std::optional(*it.facts.clock_ahead) : std::nullopt});
  }
  for (const Finding& finding : findings_of_all(set, criteria.keys.keyspace.cap)) {
    if (finding.code == "even") continue;
    if (finding.node) {
      of_masters.add(facts.masters[*finding.node].place, finding);
    } else {
      all.push_back(finding);
    }
  }
  for (Finding& finding : of_masters.take()) all.push_back(std::move(finding));
}

void judge_down(Findings& all, const ClusterFacts& facts) {
  for (const MasterFacts& it : facts.masters) {
    if (it.facts.down) {
      add(all, Severity::warning, "master_down", "master " + it.place + " is down: " + it.facts.down->detail,
          "nobody gets a lease of its " + slots_text(it.slots),
          it.replicas.empty() ? "start it again"
                              : "start it again, or see why no replica takes over (redis-cli cluster nodes)");
    }
    for (const ReplicaShown& replica : it.replicas) {
      if (!replica.down) continue;
      add(all, Severity::warning, "replica_down",
          "replica " + replica.place + " of " + it.place + " is down: " + *replica.down,
          "it cannot take over when its master dies", "start it again");
    }
  }
}

void judge_coverage(Findings& all, const ClusterFacts& facts) {
  std::size_t served = 0;
  bool any_is_up = false;
  for (const MasterFacts& it : facts.masters) {
    served += it.slots;
    any_is_up = any_is_up || !it.facts.down;
  }
  if (served < redis::slots) {
    add(all, served == 0 ? Severity::error : Severity::warning, "slots_unserved",
        "nobody serves " + of_all_slots(redis::slots - served), "nobody gets a lease there",
        "bring back the masters that served them, or assign them (redis-cli --cluster fix HOST:PORT)");
  }
  if (!any_is_up && served > 0) {
    add(all, Severity::error, "down", "none of its masters answers", "nobody gets a lease",
        "start them again, or correct their addresses");
  }
  const auto failed = std::ranges::find_if(
      facts.masters, [](const MasterFacts& it) { return !it.facts.down && it.state && *it.state != "ok"; });
  if (failed != facts.masters.end()) {
    add(all, Severity::error, "cluster_state",
        "cluster_state is " + core::printable(*failed->state, 20) + ", as " + failed->place + " says",
        "it answers nobody: a slot is not served, or most masters are out of its reach",
        "bring the missing masters back; with cluster-require-full-coverage no the other slots go on "
        "without");
  }
}

void judge_records(Findings& all, const ClusterFacts& facts, const Criteria& criteria,
                   const std::string& how_to_init) {
  SlotCounts sum;
  for (const MasterFacts& it : facts.masters) {
    if (it.facts.down) continue;
    if (it.records) {
      sum += *it.records;
    } else if (!is_about_command(it.records.error())) {
      add(all, Severity::warning, "record",
          it.place + ": the records of its slots cannot be read: " + it.records.error().detail,
          "without them nobody gets a lease there", "see whether it hangs, or whether its slots move");
    }
  }
  const core::Ttl cap = criteria.keys.keyspace.cap;
  const std::string quarantine = core::to_text(core::quarantine_length(cap));
  const Severity severity = sum.all() > 0 && sum.open == 0 ? Severity::error : Severity::warning;
  if (sum.absent > 0) {
    const bool all_are = sum.absent == redis::slots;
    add(all, severity, std::string(record_absent),
        of_all_slots(sum.absent) + " have no record of Tenure: new, or their data was lost",
        "each is quarantined for " + quarantine + " when a client first uses it",
        all_are ? "if it is new" + how_to_init
                : "if tenure init was interrupted" + how_to_init + "; else nothing: they join by themselves");
  }
  if (sum.other > 0) {
    add(all, severity, std::string(other_set),
        of_all_slots(sum.other) + " have a record of another cap or set, or something that is no record",
        "we get no lease there", "use the --ttl-max and the --node-set that tenure init was called with");
  }
  if (sum.restarted > 0) {
    add(all, severity, "restarted",
        of_all_slots(sum.restarted) +
            " have a record of before their server was started or promoted, or they were moved",
        "leases may be forgotten: each is quarantined for " + quarantine +
            " when a client first uses it; who holds a lease keeps it",
        "nothing: they join again by themselves");
  }
  if (sum.quarantined > 0) {
    add(all, severity, std::string(quarantined), of_all_slots(sum.quarantined) + " are quarantined",
        "what was forgotten may still be held there; who holds a lease keeps it",
        "wait: each opens " + quarantine + " after a client has come to stay");
  }
}

}  // namespace

ClusterShown cluster_shown(const ClusterFacts& facts) {
  ClusterShown shown;
  for (const MasterFacts& it : facts.masters) {
    MasterShown master{.place = it.place, .slots = it.slots, .replicas = it.replicas};
    shown.slots_served += it.slots;
    if (it.facts.down) {
      master.down = it.facts.down->detail;
    } else {
      if (it.facts.info) master.version = it.facts.info->product();
      master.round_trip = it.facts.round_trip;
      if (it.facts.settings) master.min_replicas = it.facts.settings->min_replicas;
      if (it.records) master.records = *it.records;
      if (it.state && (shown.state.empty() || *it.state != "ok")) shown.state = *it.state;
    }
    shown.masters.push_back(std::move(master));
  }
  return shown;
}

Findings cluster_findings(const ClusterFacts& facts, const Criteria& criteria,
                          const std::string& how_to_init) {
  Findings all;
  judge_coverage(all, facts);
  judge_down(all, facts);
  judge_servers(all, facts, criteria);
  judge_records(all, facts, criteria, how_to_init);
  return all;
}

}  // namespace tenure::cli
