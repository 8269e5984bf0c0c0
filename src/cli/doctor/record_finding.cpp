#include "cli/doctor/record_finding.hpp"

#include <algorithm>

#include "cli/doctor/node_findings.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/nodes.hpp"
#include "core/base/text.hpp"
#include "core/lease/record.hpp"
#include "redis/record_text.hpp"
#include "runtime/text/quarantine_text.hpp"
#include "runtime/text/set_text.hpp"

namespace tenure::cli {

namespace {

const std::string holders_keep = "who holds a lease keeps it";

Finding closed(std::string code, std::string what, std::string why, std::string advice) {
  return {Severity::error, std::move(code), {}, std::move(what), std::move(why), std::move(advice)};
}

std::string quarantine_text(core::Ttl cap) {
  return core::to_text(std::chrono::ceil<std::chrono::seconds>(core::quarantine_length(cap)));
}

std::optional<OtherLife> other_life(const std::string& text, const ServerInfo& info) {
  const auto life = life_in(text);
  if (info.field("run_id").empty() || life == info.life()) return std::nullopt;
  // The first replica of a server makes it take a new replication id: nothing was lost, but nobody can know.
  if (!life.starts_with(info.field("run_id"))) {
    return OtherLife{"restarted", "it was restarted since its record was written"};
  }
  return OtherLife{"replication_changed",
                   "its replication id has changed since its record was written: promoted, or its first "
                   "replica was attached"};
}

}  // namespace

// Its fifth word.
std::string_view life_in(std::string_view record) {
  for (int i = 0; i < 4; ++i) record.remove_prefix(std::min(record.find(' '), record.size() - 1) + 1);
  return record.substr(0, record.find(' '));
}

core::Ttl longest_lease(const core::Record& record) {
  return record.open ? record.terms.cap : record.longest;
}

std::string init_hint(const core::Terms& ours, const std::string& how_to_init) {
  if (core::nodes_in(ours.set) > 1) return "if all nodes are new: tenure init, with all of them";
  return "if it is new" + how_to_init;
}

std::optional<Finding> finding_on(const RecordSeen& seen, std::int64_t wall_now_ms) {
  const core::Terms& ours = seen.ours;
  if (seen.found.absent()) {
    return closed(std::string(record_absent), "it has no record of Tenure: new, or its data was lost",
                  "the first client to come begins a quarantine of " + quarantine_text(ours.cap) +
                      " without new grants",
                  seen.init_hint);
  }
  const auto& record = seen.found.read;
  if (!record) {
    return closed("record_foreign",
                  seen.where + " is not a record of Tenure: \"" + core::printable(seen.found.text, 60) + "\"",
                  "nobody gets a lease there", "find out who wrote it, or use another --prefix");
  }
  if (record->terms.set != ours.set) {
    const auto text = runtime::set_text(*record, ours);
    return closed(std::string(other_set), text.what,
                  "two sets that share nodes could each have a majority, so we get no lease there",
                  set_advice(text));
  }
  if (record->terms.cap != ours.cap) {
    const std::string cap = core::to_text(record->terms.cap);
    return closed(std::string(other_cap), "its cap is " + cap + ", ours is " + core::to_text(ours.cap),
                  "a lease longer than the cap could outlive a quarantine, so we get none there",
                  "use --ttl-max " + cap + ", or TENURE_TTL_MAX");
  }
  if (seen.other_life) {
    return closed(seen.other_life->code, seen.other_life->what,
                  "it may have forgotten leases: the first client to come begins a quarantine of " +
                      quarantine_text(longest_lease(*record)) + " without new grants; " + holders_keep,
                  "nothing: it joins again by itself");
  }
  if (record->open) return std::nullopt;
  return closed(
      std::string(quarantined),
      std::string(record->unknown() ? "it had no record of Tenure: new, or its data was lost"
                  : record->reconfigured()
                      ? "it was given another set of nodes or another cap, and leases of before may last"
                      : "it was restarted, promoted or restored from a copy, and may have forgotten leases") +
          "; " + runtime::left_text(runtime::quarantine_left(*record, wall_now_ms)),
      "what it has forgotten may still be held; " + holders_keep,
      record->unknown() ? "wait, or " + seen.init_hint : "wait");
}

std::optional<Finding> record_finding(const NodeFacts& node, const Criteria& criteria) {
  if (!node.record) {
    return closed("record", "its record cannot be read: " + node.record.error().detail,
                  "without it nobody gets a lease there", "look at that key: it must be a string");
  }
  const auto& keyspace = criteria.keys.keyspace;
  RecordSeen seen{redis::found_record(*node.record), keyspace.terms(), "its key " + keyspace.record()};
  seen.init_hint = init_hint(seen.ours, how_to_init({{node.address}, keyspace, criteria.tls_options}));
  if (node.info && seen.found.read) seen.other_life = other_life(*node.record, *node.info);
  return finding_on(seen, criteria.wall_now_ms);
}

}  // namespace tenure::cli
