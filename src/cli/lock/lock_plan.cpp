#include "cli/lock/lock_plan.hpp"

#include "cli/message.hpp"
#include "core/base/names.hpp"
#include "redis/text/failure_text.hpp"

namespace tenure::cli {

tl::expected<Nodes, std::string> lock_nodes(const LockTarget& target,
                                            const std::optional<std::string>& name) {
  if (auto error = core::name_error("the lock prefix", target.lock_prefix)) return tl::unexpected(*error);
  if (name) {
    if (auto error = core::name_error("the name", *name)) return tl::unexpected(*error);
  }
  auto nodes = choose_nodes(target.nodes);
  if (!nodes || !name) return nodes;
  const auto key = redis::lock_key(target.lock_prefix, *name, nodes->keyspace);
  return key ? nodes : tl::unexpected(key.error());
}

std::optional<std::string> failures_said(const NodeFailures& failed, const Nodes& nodes) {
  if (failed.empty()) return std::nullopt;
  if (!enough(failed, nodes) && nodes.several()) {
    return std::to_string(nodes.quorum()) + " of " + std::to_string(nodes.addresses.size()) +
           " nodes must answer, and " + std::to_string(failed.size()) + " failed" +
           redis::failures_text(failed, nodes);
  }
  std::string lines;
  for (const auto& [node, failure] : failed) {
    lines += (lines.empty() ? "" : "\n") + redis::failure_text(nodes.addresses[node], failure);
  }
  return lines;
}

bool say_failures(const Looked& looked, const Nodes& nodes) {
  if (const auto failures = failures_said(looked.failures, nodes)) say(*failures);
  return enough(looked.failures, nodes);
}

}  // namespace tenure::cli
