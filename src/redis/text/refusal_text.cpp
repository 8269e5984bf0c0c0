#include "redis/text/refusal_text.hpp"

#include <map>

#include "core/base/text.hpp"
#include "redis/text/not_open_text.hpp"

namespace tenure::redis {

namespace {

using core::RefusalCode;

// A node may have failed in two rounds: what it said last.
std::map<core::NodeIndex, std::string> last_words(const std::vector<core::NodeFailure>& failures,
                                                  const Nodes& nodes) {
  std::map<core::NodeIndex, std::string> words;
  for (const auto& [node, failure] : failures) words[node] = failure_text(nodes.addresses.at(node), failure);
  return words;
}

std::string no_quorum_text(const core::Refusal& refusal, const Nodes& nodes) {
  const auto& failures = refusal.failures;
  if (!nodes.several()) {
    if (failures.empty()) return to_text(nodes.addresses.front()) + ": no answer";
    return failure_text(nodes.addresses.front(), failures.back().failure);
  }
  const auto failed = last_words(failures, nodes).size();
  return std::to_string(nodes.quorum()) + " of " + std::to_string(nodes.addresses.size()) +
         " nodes must answer" + (failed > 1 ? ", and " + std::to_string(failed) + " failed" : "") +
         failures_text(failures, nodes);
}

std::string too_slow_text(const Nodes& nodes) {
  const std::string who = nodes.several() ? "" : to_text(nodes.addresses.front()) + ": ";
  return who + "granted, but so late that the lease was of no use; it was given back";
}

// What stands in the way.
std::string reason_text(const core::Refusal& refusal, const Nodes& nodes, Patience patience) {
  switch (refusal.code) {
    case RefusalCode::held:
      return refusal.held ? holder_text(*refusal.held) : "held";
    case RefusalCode::not_open:
      return not_open_text(refusal, nodes, patience);
    case RefusalCode::too_slow:
      return too_slow_text(nodes);
    case RefusalCode::waited:
      // The last try says why; its own code is gone.
      if (refusal.held) return holder_text(*refusal.held);
      if (!refusal.record.absent()) return not_open_text(refusal, nodes, patience);
      break;
    case RefusalCode::no_quorum:
    case RefusalCode::cancelled:
      break;
  }
  return no_quorum_text(refusal, nodes);
}

}  // namespace

std::string left_text(core::Ttl left) {
  using namespace std::chrono;
  if (left >= seconds(10)) return core::to_text(ceil<seconds>(left));
  if (left >= seconds(1)) return core::to_text(ceil<duration<long, std::deci>>(left));
  return core::to_text(left);
}

std::string holder_text(const core::Held& held) {
  // Names of others are shown to a terminal: made harmless, and cut.
  const std::string owner = core::printable(held.holder.owner);
  if (held.holder.waits) return "kept for " + owner + ", which waits for it";
  if (held.holder.token == 0) {
    // A key that is not a string, a list for example, has nothing to show.
    const std::string what = owner.empty() ? "something that" : "\"" + owner + "\", which";
    return "held by " + what + " Tenure did not write, " +
           (held.left ? "for another " + left_text(*held.left) : "with no expiry");
  }
  const std::string token = " (token " + std::to_string(held.holder.token) + ")";
  if (!held.left) return "held by " + owner + " with no expiry" + token;
  return "held by " + owner + " for another " + left_text(*held.left) + token;
}

std::string failure_text(const Address& address, const core::Failure& failure) {
  return to_text(address) + ": " + failure.detail;
}

std::string failures_text(const std::vector<core::NodeFailure>& failures, const Nodes& nodes) {
  const auto words = last_words(failures, nodes);
  std::string text = words.empty() ? "" : ":";
  for (const auto& [node, line] : words) text += (words.size() == 1 ? " " : "\n  ") + line;
  return text;
}

std::string waiting_text(const core::Refusal& refusal, const std::string& name, const Nodes& nodes) {
  return "waiting for " + name + ": " + reason_text(refusal, nodes, Patience::waits);
}

std::string refusal_text(const core::Refusal& refusal, const std::string& name, const Nodes& nodes) {
  if (refusal.code == RefusalCode::cancelled) return "the attempt to acquire " + name + " was cancelled";
  std::string reason = reason_text(refusal, nodes, Patience::leaves);
  if (refusal.code == RefusalCode::held) return name + " is " + reason;
  if (refusal.code == RefusalCode::waited) return "waited too long for " + name + ": " + reason;
  return reason;
}

}  // namespace tenure::redis
