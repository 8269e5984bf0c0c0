// How a set of nodes is: each one looked at, all at the same time, and what there is to say about them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/doctor/node_facts.hpp"
#include "cli/doctor/node_findings.hpp"
#include "cli/nodes/nodes.hpp"

namespace tenure::cli {

enum class Status : std::uint8_t { healthy, degraded, no_quorum };

struct Diagnosis {
  Nodes nodes{};
  std::vector<NodeFacts> facts{};   // of each node
  std::vector<Finding> findings{};  // the worst first

  // Would it give a lease to us at this moment?
  bool healthy(std::size_t node) const;
  std::size_t healthy_count() const;
  Status status() const;
  bool has(Severity severity) const;
  // What keeps a node that is up from being healthy, or nothing.
  const Finding* worst(std::size_t node) const;
  // Does no node at all have a record?
  bool all_new() const;
};

// Blocks for as long as the slowest node needs. One that does not answer costs the others nothing.
Diagnosis diagnose(Nodes nodes, const std::string& lock_prefix, core::Duration node_timeout);

}  // namespace tenure::cli
