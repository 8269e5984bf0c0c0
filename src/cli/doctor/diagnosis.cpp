#include "cli/doctor/diagnosis.hpp"

#include <algorithm>
#include <iterator>

#include "cli/doctor/set_findings.hpp"
#include "cli/nodes/advice.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

// Longer than any node timeout, so that a node that is too slow is told apart from one that is dead.
constexpr core::Duration patience = std::chrono::seconds(2);

std::vector<NodeFacts> look_at_all(const Nodes& nodes, const UsedKeys& keys) {
  std::vector<NodeFacts> facts(nodes.addresses.size());
  runtime::at_once(facts.size(),
                   [&](std::size_t i) { facts[i] = look_at(nodes.addresses[i], nodes.tls, keys, patience); });
  return facts;
}

// Of equals the one that was found first.
std::vector<Finding> worst_first(const std::vector<Finding>& findings) {
  std::vector<Finding> sorted;
  for (const auto severity : {Severity::error, Severity::warning, Severity::note}) {
    std::ranges::copy_if(findings, std::back_inserter(sorted),
                         [&](const Finding& it) { return it.severity == severity; });
  }
  return sorted;
}

}  // namespace

bool Diagnosis::healthy(std::size_t node) const { return !facts[node].down && worst(node) == nullptr; }

std::size_t Diagnosis::healthy_count() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) count += healthy(i) ? 1 : 0;
  return count;
}

Status Diagnosis::status() const {
  const std::size_t count = healthy_count();
  if (count == facts.size()) return Status::healthy;
  return count >= nodes.quorum() ? Status::degraded : Status::no_quorum;
}

bool Diagnosis::has(Severity severity) const {
  return std::ranges::any_of(findings, [&](const Finding& it) { return it.severity == severity; });
}

const Finding* Diagnosis::worst(std::size_t node) const {
  const auto found = std::ranges::find_if(
      findings, [&](const Finding& it) { return it.node == node && it.severity == Severity::error; });
  return found == findings.end() ? nullptr : &*found;
}

bool Diagnosis::all_new() const {
  return std::ranges::all_of(facts,
                             [](const NodeFacts& it) { return !it.down && it.record && it.record->empty(); });
}

Diagnosis diagnose(Nodes nodes, const std::string& lock_prefix, core::Duration node_timeout) {
  const UsedKeys keys{nodes.keyspace.key(lock_prefix), nodes.keyspace};
  Diagnosis result{std::move(nodes), {}, {}};
  result.facts = look_at_all(result.nodes, keys);
  result.findings = findings_of_all(result.facts, keys.keyspace.cap);
  const Criteria criteria{keys, node_timeout, runtime::wall_now_ms(), result.nodes.tls_options};
  for (std::size_t i = 0; i < result.facts.size(); ++i) {
    const NodeFacts& node = result.facts[i];
    for (auto& finding : node.down ? std::vector{down_finding(node)} : findings_of(node, criteria)) {
      finding.node = i;
      result.findings.push_back(std::move(finding));
    }
  }
  if (result.all_new()) {
    for (auto& finding : result.findings) {
      if (finding.code == record_absent) finding.advice = "if it is new" + how_to_init(result.nodes);
    }
  }
  result.findings = worst_first(result.findings);
  return result;
}

}  // namespace tenure::cli
