#include "cli/lock/lock_plan.hpp"

#include <utility>

#include "cli/message.hpp"
#include "core/base/names.hpp"
#include "runtime/text/refusal_text.hpp"

namespace tenure::cli {

tl::expected<ChosenStore, std::string> lock_store(const LockTarget& target,
                                                  const std::optional<std::string>& name) {
  if (auto error = core::name_error("the lock prefix", target.lock_prefix)) return tl::unexpected(*error);
  if (auto error = name ? core::name_error("the name", *name) : std::nullopt) return tl::unexpected(*error);
  auto store = choose_store(target.nodes);
  if (!store || !name) return store;
  const auto key = store->store->lock_key(target.lock_prefix, *name);
  return key ? std::move(store) : tl::unexpected(key.error());
}

std::optional<std::string> failures_said(const NodeFailures& failed, const std::vector<std::string>& names) {
  if (failed.empty()) return std::nullopt;
  if (!enough(failed, names.size()) && names.size() > 1) {
    return std::to_string(core::quorum_of(names.size())) + " of " + std::to_string(names.size()) +
           " nodes must answer, and " + std::to_string(failed.size()) + " failed" +
           runtime::failures_text(failed, names);
  }
  std::string lines;
  for (const auto& [node, failure] : failed) {
    lines += (lines.empty() ? "" : "\n") + names[node] + ": " + failure.detail;
  }
  return lines;
}

bool say_failures(const Looked& looked, const std::vector<std::string>& names) {
  if (const auto failures = failures_said(looked.failures, names)) say(*failures);
  return enough(looked.failures, names.size());
}

}  // namespace tenure::cli
