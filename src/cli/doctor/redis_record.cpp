#include "cli/doctor/redis_record.hpp"

#include <utility>

#include "redis/record_text.hpp"

namespace tenure::cli {

namespace {

// What the user may not ask is not known, and no reason to think badly of a node: leases need neither.
bool is_forbidden(const core::Failure& failure) { return failure.code == core::FailureCode::no_permission; }

ClosedNode replica(const redis::Address& address) {
  return {redis::to_text(address), "replica", "it is a replica", "it takes no writes, and so gives no leases",
          "name its master, or an independent server"};
}

}  // namespace

tl::expected<NodeFacts, core::Failure> look_at_record(redis::Caller& redis, const redis::Address& address,
                                                      const redis::Keyspace& keyspace) {
  NodeFacts facts{.address = address};
  facts.info = ask_info(redis, {"server", "replication"});
  if (!facts.info && !is_forbidden(facts.info.error())) return tl::unexpected(facts.info.error());
  facts.record =
      redis.call({"GET", keyspace.record()}).map([](const redis::Value& value) { return value.text; });
  return facts;
}

std::optional<ClosedNode> closed_node(const NodeFacts& node, const Criteria& criteria) {
  if (node.info && node.info->is_replica()) return replica(node.address);
  if (!node.record && is_forbidden(node.record.error())) return std::nullopt;
  auto finding = record_finding(node, criteria);
  if (!finding) return std::nullopt;
  const auto record = node.record ? redis::found_record(*node.record) : core::FoundRecord{};
  return closed_by(redis::to_text(node.address), std::move(*finding), record,
                   {criteria.keys.keyspace.terms(), criteria.wall_now_ms});
}

}  // namespace tenure::cli
