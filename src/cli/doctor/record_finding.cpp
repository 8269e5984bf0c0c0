#include <algorithm>

#include "cli/doctor/node_findings.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/nodes.hpp"
#include "core/base/text.hpp"
#include "core/lease/record.hpp"
#include "redis/record_text.hpp"
#include "redis/text/set_text.hpp"
#include "runtime/text/quarantine_text.hpp"

namespace tenure::cli {

namespace {

const std::string holders_keep = "who holds a lease keeps it";

Finding closed(std::string code, std::string what, std::string why, std::string advice) {
  return {Severity::error, std::move(code), {}, std::move(what), std::move(why), std::move(advice)};
}

// Which life of the server it was written in: its fifth word.
std::string_view life_in(std::string_view record) {
  for (int i = 0; i < 4; ++i) record.remove_prefix(std::min(record.find(' '), record.size() - 1) + 1);
  return record.substr(0, record.find(' '));
}

std::string quarantine_text(core::Ttl cap) {
  return core::to_text(std::chrono::ceil<std::chrono::seconds>(core::quarantine_length(cap)));
}

std::optional<Finding> other_life(const std::string& text, const ServerInfo& info,
                                  const std::string& length) {
  const auto life = life_in(text);
  if (info.field("run_id").empty() || life == info.life()) return std::nullopt;
  // The first replica of a server makes it take a new replication id: nothing was lost, but nobody can know.
  const bool same_run = life.starts_with(info.field("run_id"));
  return closed(same_run ? "replication_changed" : "restarted",
                same_run
                    ? "its replication id has changed since its record was written: promoted, or its first "
                      "replica was attached"
                    : "it was restarted since its record was written",
                "it may have forgotten leases: the first client to come begins a quarantine of " + length +
                    " without new grants; " + holders_keep,
                "nothing: it joins again by itself");
}

}  // namespace

core::Ttl longest_lease(const core::Record& record) {
  return record.open ? record.terms.cap : record.longest;
}

std::optional<Finding> record_finding(const NodeFacts& node, const Criteria& criteria) {
  if (!node.record) {
    return closed("record", "its record cannot be read: " + node.record.error().detail,
                  "without it nobody gets a lease there", "look at that key: it must be a string");
  }
  const auto& keyspace = criteria.keys.keyspace;
  // Of several nodes one that is new joins the others by itself.
  const std::string init_hint =
      core::nodes_in(keyspace.set) > 1
          ? "if all nodes are new: tenure init, with all of them"
          : "if it is new" + how_to_init({{node.address}, keyspace, criteria.tls_options});
  if (node.record->empty()) {
    return closed(std::string(record_absent), "it has no record of Tenure: new, or its data was lost",
                  "the first client to come begins a quarantine of " + quarantine_text(keyspace.cap) +
                      " without new grants",
                  init_hint);
  }
  const auto record = redis::read_record(*node.record);
  if (!record) {
    return closed("record_foreign",
                  "its key " + keyspace.record() + " is not a record of Tenure: \"" +
                      core::printable(*node.record, 60) + "\"",
                  "nobody gets a lease there", "find out who wrote it, or use another --prefix");
  }
  if (record->terms.set != keyspace.set) {
    const auto text = redis::set_text(*record, keyspace);
    return closed(std::string(other_set), text.what,
                  "two sets that share nodes could each have a majority, so we get no lease there",
                  set_advice(text));
  }
  if (record->terms.cap != keyspace.cap) {
    const std::string cap = core::to_text(record->terms.cap);
    return closed(std::string(other_cap), "its cap is " + cap + ", ours is " + core::to_text(keyspace.cap),
                  "a lease longer than the cap could outlive a quarantine, so we get none there",
                  "use --ttl-max " + cap + ", or TENURE_TTL_MAX");
  }
  if (node.info) {
    if (auto finding = other_life(*node.record, *node.info, quarantine_text(longest_lease(*record))))
      return finding;
  }
  if (record->open) return std::nullopt;
  return closed(
      std::string(quarantined),
      std::string(record->unknown() ? "it had no record of Tenure: new, or its data was lost"
                  : record->reconfigured()
                      ? "it was given another set of nodes or another cap, and leases of before may last"
                      : "it was restarted, promoted or restored from a copy, and may have forgotten leases") +
          "; " + runtime::left_text(runtime::quarantine_left(*record, criteria.wall_now_ms)),
      "what it has forgotten may still be held; " + holders_keep,
      record->unknown() ? "wait, or " + init_hint : "wait");
}

}  // namespace tenure::cli
