#include "runtime/text/not_open_text.hpp"

#include "core/base/text.hpp"
#include "runtime/text/quarantine_text.hpp"
#include "runtime/text/set_text.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::runtime {

namespace {

// The nodes that said so, which are enough to be in the way: others may be like them.
std::string subject(const core::Refusal& refusal, const Store& nodes) {
  if (!nodes.several()) return nodes.names().front();
  std::string names;
  for (std::size_t i = 0; i < refusal.closed.size(); ++i) {
    if (i > 0) names += i + 1 == refusal.closed.size() ? " and " : ", ";
    names += nodes.names().at(refusal.closed[i]);
  }
  return names.empty() ? "too many of the " + std::to_string(nodes.names().size()) + " nodes" : names;
}

// Behind what those nodes are.
std::string needed(const Store& nodes) {
  if (!nodes.several()) return ".";
  return ", and " + std::to_string(nodes.quorum()) + " of " + std::to_string(nodes.names().size()) +
         " nodes must give a lease.";
}

std::string within(core::Duration duration) { return " New grants " + within_text(duration) + "."; }

std::string when_text(const core::Record& record, Patience patience, std::optional<core::Duration> opens_in) {
  if (patience == Patience::waits) return within(opens_in.value_or(core::quarantine_length(record.longest)));
  std::string text = left_text(quarantine_left(record, wall_now_ms()));
  text.front() = 'N';
  return " " + text + ".";
}

}  // namespace

NotOpenText not_open_text(const core::Refusal& refusal, const Store& nodes, const RecordWords& words,
                          Patience patience, std::optional<core::Duration> opens_in) {
  using Why = NotOpen::Why;
  const auto& [record, text] = refusal.record;
  const std::string who = subject(refusal, nodes);
  const bool many = nodes.several() && refusal.closed.size() != 1;
  const std::string unknown = who +
                              (many ? " have no record of Tenure: new, or their data was lost"
                                    : " has no record of Tenure: new, or its data was lost") +
                              needed(nodes);
  // Without a full stop, so that the program can say with which options.
  const std::string if_new = nodes.several() ? " If they are new, tenure init opens them at once"
                                             : " If it is new, tenure init opens it at once";
  const core::Duration length = core::quarantine_length(nodes.terms().cap);
  if (refusal.record.absent()) {
    return {unknown + (patience == Patience::waits ? within(opens_in.value_or(length)) : "") + if_new,
            NotOpen{Why::no_record}};
  }
  if (text == words.went_back) {
    return {who + " went back to older data, as from a copy, and may have forgotten leases" + needed(nodes) +
                within(opens_in.value_or(length)),
            NotOpen{Why::quarantine}};
  }
  if (!record) {
    return {who + ": " + words.record + " is not a record of Tenure: \"" + core::printable(text, 60) + "\"",
            NotOpen{Why::foreign_record}};
  }
  const std::string one = nodes.several() ? "one of the nodes" : who;
  if (record->terms.set != nodes.terms().set) {
    const auto [why, what, wish] = set_text(*record, nodes.terms());
    return {one + ": " + what + ": " + wish, NotOpen{why}};
  }
  if (record->terms.cap != nodes.terms().cap) {
    return {one + ": the cap of this " + words.kind + " is " + core::to_text(record->terms.cap) +
                ", ours is " + core::to_text(nodes.terms().cap) + "; all clients must use the same ttl_max",
            NotOpen{Why::other_ttl_max, record->terms.cap}};
  }
  if (record->open) return {who + ": the record has changed at this moment; try again"};
  const std::string when = when_text(*record, patience, opens_in);
  if (record->unknown()) {
    // A set of which no node knows anything could be a slip of the pen.
    const std::string all =
        nodes.several()
            ? " For that a node must still have its record, or none may be away (gone for good: tenure "
              "reconfigure without it)."
            : "";
    return {unknown + when + all + if_new, NotOpen{Why::no_record}};
  }
  const std::string what = record->reconfigured()
                               ? " given another set of nodes or another cap, and leases of before may last"
                               : " restarted, promoted or restored from a copy and may have forgotten leases";
  return {who + (many ? " were" : " was") + what + needed(nodes) + when, NotOpen{Why::quarantine}};
}

}  // namespace tenure::runtime
