// Judges the nodes together: are they servers of their own, do their clocks agree, is their number sensible?
// Pure: asks nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "core/base/time.hpp"

namespace tenure::cli {

// As much as that takes of one that is up.
struct NodeInSet {
  std::string name{};
  std::string server{};                         // by what it is told from others; empty: not known
  std::optional<core::Duration> clock_ahead{};  // of this machine's
};

// Nothing for a node that is down.
std::vector<Finding> findings_of_all(const std::vector<std::optional<NodeInSet>>& nodes, core::Ttl cap);

}  // namespace tenure::cli
