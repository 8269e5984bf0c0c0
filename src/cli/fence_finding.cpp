#include "cli/node_findings.hpp"
#include "core/number.hpp"
#include "core/text.hpp"

namespace tenure::cli {

std::optional<Finding> fence_finding(const NodeFacts& node, const Standard& standard) {
  const std::string key = standard.ground.keyspace.fence();
  const auto bad = [&](const std::string& what, const std::string& why) {
    return Finding{
        Severity::error,
        "fence",
        {},
        "its counter of tokens " + what,
        why,
        "find out who did that, then set it above every token given so far, as the clock is: SET " +
            core::printable(key, 60) + " $(date +%s%6N)"};
  };
  const std::string nobody = "nobody gets a lease there";
  if (!node.fence) {
    if (node.fence.error().code == core::FailureCode::no_permission) return std::nullopt;
    return bad("cannot be read: " + node.fence.error().detail, nobody);
  }
  if (node.fence->empty()) return bad("is gone", "tokens would begin at 1 again, below those given before");
  const auto number = core::read_number<core::Token>(*node.fence);
  if (!number) return bad("is no number: \"" + core::printable(*node.fence, 60) + "\"", nobody);
  if (*number >= core::token_max) return bad("is too large to be exact: " + *node.fence, nobody);
  return std::nullopt;
}

}  // namespace tenure::cli
