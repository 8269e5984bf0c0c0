// Judges the record of a node, of whatever kind of store: does it give leases to us now? Pure: asks nothing, and reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/doctor/finding.hpp"
#include "core/lease/record.hpp"

namespace tenure::cli {

// The node was started or promoted since its record was written, and the next client will find that out.
struct OtherLife {
  std::string code;
  std::string what;
};

struct RecordSeen {
  core::FoundRecord found{};
  core::Terms ours{};
  std::string where{};      // "its key tenure:record"
  std::string init_hint{};  // what to do if it is new
  std::optional<OtherLife> other_life{};
};

// Nothing when it does.
std::optional<Finding> finding_on(const RecordSeen& record, std::int64_t wall_now_ms);

// What to do about nodes that are new: of several one that is new joins the others by itself. How to make this one alone ready
// stands behind "if it is new".
std::string init_hint(const core::Terms& ours, const std::string& how_to_init);

}  // namespace tenure::cli
