#include "runtime/text/refusal_text.hpp"

#include <map>

#include "core/base/text.hpp"

namespace tenure::runtime {

namespace {

using core::RefusalCode;

// A node may have failed in two rounds: what it said last.
std::map<core::NodeIndex, std::string> last_words(const std::vector<core::NodeFailure>& failures,
                                                  const std::vector<std::string>& names) {
  std::map<core::NodeIndex, std::string> words;
  for (const auto& [node, failure] : failures) words[node] = names.at(node) + ": " + failure.detail;
  return words;
}

std::string no_quorum_text(const core::Refusal& refusal, const Store& store) {
  const auto& failures = refusal.failures;
  const auto& names = store.names();
  if (!store.several()) {
    return names.front() + ": " + (failures.empty() ? "no answer" : failures.back().failure.detail);
  }
  const auto failed = last_words(failures, names).size();
  return std::to_string(store.quorum()) + " of " + std::to_string(names.size()) + " nodes must answer" +
         (failed > 1 ? ", and " + std::to_string(failed) + " failed" : "") + failures_text(failures, names);
}

std::string too_slow_text(const Store& store) {
  const std::string who = store.several() ? "" : store.names().front() + ": ";
  return who + "granted, but so late that the lease was of no use; it was given back";
}

// What stands in the way.
std::string reason_text(const core::Refusal& refusal, const Store& store, Patience patience) {
  if (speaks_of_record(refusal)) return store.not_open_text(refusal, patience, std::nullopt).text;
  switch (refusal.code) {
    case RefusalCode::held:
      return refusal.held ? holder_text(*refusal.held) : "held";
    case RefusalCode::too_slow:
      return too_slow_text(store);
    case RefusalCode::waited:
      if (refusal.held) return holder_text(*refusal.held);
      break;
    case RefusalCode::not_open:
    case RefusalCode::no_quorum:
    case RefusalCode::cancelled:
      break;
  }
  return no_quorum_text(refusal, store);
}

}  // namespace

bool speaks_of_record(const core::Refusal& refusal) {
  if (refusal.code == RefusalCode::not_open) return true;
  // The last try says why; its own code is gone.
  return refusal.code == RefusalCode::waited && !refusal.held && !refusal.record.absent();
}

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

std::string failures_text(const std::vector<core::NodeFailure>& failures,
                          const std::vector<std::string>& names) {
  const auto words = last_words(failures, names);
  std::string text = words.empty() ? "" : ":";
  for (const auto& [node, line] : words) text += (words.size() == 1 ? " " : "\n  ") + line;
  return text;
}

std::string waiting_text(const core::Refusal& refusal, const std::string& name, const Store& store) {
  return "waiting for " + name + ": " + reason_text(refusal, store, Patience::waits);
}

std::string refusal_text(const core::Refusal& refusal, const std::string& name, const Store& store) {
  if (refusal.code == RefusalCode::cancelled) return "the attempt to acquire " + name + " was cancelled";
  std::string reason = reason_text(refusal, store, Patience::leaves);
  if (refusal.code == RefusalCode::held) return name + " is " + reason;
  if (refusal.code == RefusalCode::waited) return "waited too long for " + name + ": " + reason;
  return reason;
}

}  // namespace tenure::runtime
