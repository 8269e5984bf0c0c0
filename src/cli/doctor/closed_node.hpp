// Which nodes give no new leases now, and for how long: for whoever shows something else, and should say so, too. Of whatever kind of
// store. Pure: asks nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "core/base/time.hpp"
#include "core/lease/record.hpp"
#include "runtime/store/answers.hpp"

namespace tenure::cli {

// A node that gives no new leases to us now.
struct ClosedNode {
  std::string node;  // its address
  std::string code;  // of the finding, as tenure doctor has it
  std::string what;
  std::string why;
  std::string advice;
  std::optional<core::Ttl> left{};  // of a quarantine that lasts, if a client has been waiting since it began
  std::optional<core::Ttl> left_max{};  // of any quarantine, once a client waits
};

// By a finding on its record.
struct ReadBy {
  core::Terms ours{};
  std::int64_t wall_now_ms = 0;
};
ClosedNode closed_by(std::string node, Finding finding, const core::FoundRecord& record,
                     const ReadBy& reader);

// Of each node that answers: why it gives no new leases; nothing where it does.
using NodesClosed = runtime::Answers<std::optional<ClosedNode>>;

struct ClosedNodes {
  std::vector<ClosedNode> nodes{};  // of those that answer
  bool open = true;                 // so few are closed that new leases are given
};
ClosedNodes closed_among(const NodesClosed& nodes, const std::string& how_to_init);

}  // namespace tenure::cli
