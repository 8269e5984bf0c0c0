#include "cli/doctor/closed_node.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/doctor/node_findings.hpp"
#include "core/nodes.hpp"
#include "runtime/text/quarantine_text.hpp"

namespace tenure::cli {

namespace {

core::Ttl in_milliseconds(core::Duration duration) { return std::chrono::ceil<core::Ttl>(duration); }

}  // namespace

ClosedNode closed_by(std::string node, Finding finding, const core::FoundRecord& found,
                     const ReadBy& reader) {
  const auto& record = found.read;
  ClosedNode closed{std::move(node), std::move(finding.code), std::move(finding.what), std::move(finding.why),
                    std::move(finding.advice)};
  if (closed.code == quarantined) {
    const auto left = runtime::quarantine_left(*record, reader.wall_now_ms);
    if (left.if_waited) closed.left = in_milliseconds(*left.if_waited);
    closed.left_max = in_milliseconds(left.at_most);
  } else if (closed.code == record_absent || (record && record->terms == reader.ours)) {
    // It has not begun: the first client to come begins it.
    const core::Ttl longest = record ? longest_lease(*record) : reader.ours.cap;
    closed.left_max = in_milliseconds(core::quarantine_length(longest));
  }
  return closed;
}

ClosedNodes closed_among(const NodesClosed& nodes, const std::string& how_to_init) {
  ClosedNodes all;
  std::size_t open = 0;
  for (const auto& node : nodes) {
    if (!node) continue;
    const auto& closed = *node;
    // Of another cap or set than we name, it is closed to us, and perhaps to nobody else.
    if (!closed || closed->code == other_cap || closed->code == other_set) open += 1;
    if (closed) all.nodes.push_back(*closed);
  }
  const auto absent = [](const ClosedNode& it) { return it.code == record_absent; };
  if (all.nodes.size() == nodes.size() && std::ranges::all_of(all.nodes, absent)) {
    // Only all of them together can be declared new.
    for (ClosedNode& it : all.nodes) it.advice = "if it is new" + how_to_init;
  }
  all.open = all.nodes.empty() || open >= core::quorum_of(nodes.size());
  return all;
}

}  // namespace tenure::cli
