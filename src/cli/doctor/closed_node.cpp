#include "cli/doctor/closed_node.hpp"

#include "core/lease/record.hpp"
#include "redis/record_text.hpp"
#include "runtime/text/quarantine_text.hpp"

namespace tenure::cli {

namespace {

core::Ttl in_milliseconds(core::Duration duration) { return std::chrono::ceil<core::Ttl>(duration); }

}  // namespace

tl::expected<NodeFacts, core::Failure> look_at_record(redis::Caller& redis, const redis::Address& address,
                                                      const redis::Keyspace& keyspace) {
  NodeFacts facts{.address = address};
  facts.info = ask_info(redis, {"server", "replication"});
  if (!facts.info) return tl::unexpected(facts.info.error());
  facts.record =
      redis.call({"GET", keyspace.record()}).map([](const redis::Value& value) { return value.text; });
  return facts;
}

std::optional<ClosedNode> closed_node(const NodeFacts& node, const Criteria& criteria) {
  const auto finding = record_finding(node, criteria);
  if (!finding) return std::nullopt;
  ClosedNode closed{redis::to_text(node.address), finding->code, finding->what, finding->why,
                    finding->advice};
  const auto record = node.record ? redis::read_record(*node.record) : std::nullopt;
  if (finding->code == quarantined) {
    const auto left = runtime::quarantine_left(*record, criteria.wall_now_ms);
    if (left.if_waited) closed.left = in_milliseconds(*left.if_waited);
    closed.left_max = in_milliseconds(left.at_most);
  } else if (finding->code == record_absent || (record && record->terms == criteria.keys.keyspace.terms())) {
    // It has not begun: the first client to come begins it.
    const core::Ttl longest = record ? longest_lease(*record) : criteria.keys.keyspace.cap;
    closed.left_max = in_milliseconds(core::quarantine_length(longest));
  }
  return closed;
}

}  // namespace tenure::cli
