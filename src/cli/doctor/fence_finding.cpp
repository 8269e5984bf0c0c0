#include "cli/doctor/node_findings.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

// The time of 2001 in microseconds: a counter below it was lost, as acquire.lua sees it.
constexpr core::Token token_min = 1'000'000'000'000'000;

}  // namespace

std::optional<Finding> fence_finding(const NodeFacts& node, const Criteria& criteria) {
  const std::string key = criteria.keys.keyspace.fence();
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
  const std::string goes_on =
      "somebody changes keys of Tenure. At the next grant it goes on at the clock of this Redis: above the "
      "tokens given before, if that clock is right";
  if (node.fence->empty()) return bad("is gone", goes_on);
  const auto number = core::read_number<core::Token>(*node.fence);
  if (!number) return bad("is no number: \"" + core::printable(*node.fence, 60) + "\"", nobody);
  if (*number < token_min) return bad("is far too small: " + *node.fence, goes_on);
  if (*number >= core::token_max) return bad("is too large to be exact: " + *node.fence, nobody);
  return std::nullopt;
}

}  // namespace tenure::cli
