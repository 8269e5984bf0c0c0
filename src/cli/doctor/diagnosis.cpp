#include "cli/doctor/diagnosis.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/doctor/node_findings.hpp"
#include "core/nodes.hpp"

namespace tenure::cli {

SlotCounts& SlotCounts::operator+=(const SlotCounts& more) {
  open += more.open;
  quarantined += more.quarantined;
  absent += more.absent;
  restarted += more.restarted;
  other += more.other;
  return *this;
}

SlotCounts ClusterShown::records() const {
  SlotCounts sum;
  for (const MasterShown& it : masters) sum += it.records.value_or(SlotCounts{});
  return sum;
}

std::size_t Diagnosis::quorum() const { return core::quorum_of(nodes.size()); }

bool Diagnosis::healthy(std::size_t node) const { return !nodes[node].down && worst(node) == nullptr; }

std::size_t Diagnosis::healthy_count() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) count += healthy(i) ? 1 : 0;
  return count;
}

Status Diagnosis::status() const {
  const std::size_t count = healthy_count();
  if (count == nodes.size()) return Status::healthy;
  return count >= quorum() ? Status::degraded : Status::no_quorum;
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
  return std::ranges::all_of(
      nodes, [](const NodeShown& it) { return !it.down && it.record && it.record->absent(); });
}

void Diagnosis::add(std::size_t node, std::vector<Finding> its_findings) {
  for (Finding& finding : its_findings) {
    finding.node = node;
    findings.push_back(std::move(finding));
  }
}

void Diagnosis::conclude() {
  if (all_new()) {
    for (Finding& finding : findings) {
      if (finding.code == record_absent) finding.advice = "if it is new" + how_to_init;
    }
  }
  // Of equals the one that was found first.
  std::vector<Finding> sorted;
  for (const auto severity : {Severity::error, Severity::warning, Severity::note}) {
    std::ranges::copy_if(findings, std::back_inserter(sorted),
                         [&](const Finding& it) { return it.severity == severity; });
  }
  findings = std::move(sorted);
}

}  // namespace tenure::cli
