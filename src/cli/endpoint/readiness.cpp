#include "cli/endpoint/readiness.hpp"

#include "cli/doctor/closed_node.hpp"
#include "core/base/text.hpp"
#include "redis/net/ask_all.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

// To connect, and again for all that is asked then.
constexpr core::Duration patience = std::chrono::seconds(1);

using Looked = tl::expected<NodeFacts, core::Failure>;

// What the user may not ask is not known, and no reason to think badly of a node: leases need neither.
bool is_forbidden(const core::Failure& failure) { return failure.code == core::FailureCode::no_permission; }

Looked look_at(redis::Caller& redis, const redis::Address& address, const redis::Keyspace& keyspace) {
  auto facts = look_at_record(redis, address, keyspace);
  if (facts || !is_forbidden(facts.error())) return facts;
  NodeFacts without{.address = address};
  without.info = tl::unexpected(facts.error());
  without.record =
      redis.call({"GET", keyspace.record()}).map([](const redis::Value& value) { return value.text; });
  return without;
}

// Why a node would not give us a lease; empty where it would.
std::string why_not(const Looked& node, const Criteria& criteria) {
  if (!node) return node.error().detail;
  if (!node->record && is_forbidden(node->record.error())) return "";
  if (node->info && node->info->is_replica()) return "it is a replica";
  const auto closed = closed_node(*node, criteria);
  return closed ? closed->what : "";
}

}  // namespace

std::string Readiness::text() const {
  std::string lines = is_ready() ? "ready: " : "not ready: ";
  lines += std::to_string(ready) + " of " + std::to_string(nodes) +
           (nodes == 1 ? " node gives leases" : " nodes give leases") + ", " + std::to_string(needed) +
           (needed == 1 ? " is needed\n" : " are needed\n");
  for (const auto& it : closed) lines += it.node + ": " + core::printable(it.why, 400) + "\n";
  return lines;
}

Readiness look_at_readiness(const Nodes& nodes) {
  const auto answers =
      redis::ask_all<NodeFacts>(nodes, patience, [&](redis::Caller& redis, std::size_t node) {
        return look_at(redis, nodes.addresses[node], nodes.keyspace);
      });
  const Criteria criteria{{{}, nodes.keyspace}, {}, runtime::wall_now_ms(), nodes.tls_options};
  Readiness readiness{.needed = nodes.quorum(), .nodes = nodes.addresses.size()};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    auto why = why_not(answers[i], criteria);
    if (why.empty()) {
      readiness.ready += 1;
    } else {
      readiness.closed.push_back({redis::to_text(nodes.addresses[i]), std::move(why)});
    }
  }
  return readiness;
}

}  // namespace tenure::cli
