#include "redis/text/not_open_text.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "redis/record_text.hpp"
#include "redis/text/set_text.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::redis {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string init_hint(const Nodes& nodes) {
  return std::string(nodes.several() ? " If they are new" : " If it is new") + how_to_init(nodes);
}

// The nodes that said so, which are enough to be in the way: others may be like them.
std::string subject(const core::Refusal& refusal, const Nodes& nodes) {
  if (!nodes.several()) return to_text(nodes.addresses.front());
  std::string names;
  for (std::size_t i = 0; i < refusal.closed.size(); ++i) {
    if (i > 0) names += i + 1 == refusal.closed.size() ? " and " : ", ";
    names += to_text(nodes.addresses.at(refusal.closed[i]));
  }
  return names.empty() ? "too many of the " + std::to_string(nodes.addresses.size()) + " nodes" : names;
}

// Behind what those nodes are.
std::string needed(const Nodes& nodes) {
  if (!nodes.several()) return ".";
  return ", and " + std::to_string(nodes.quorum()) + " of " + std::to_string(nodes.addresses.size()) +
         " nodes must give a lease.";
}

std::string in_seconds(core::Duration duration) {
  return core::to_text(std::max(std::chrono::ceil<seconds>(duration), seconds(1)));
}

std::string within(core::Duration duration) { return " New grants within " + in_seconds(duration) + "."; }

std::string when_text(const core::Record& record, Patience patience, std::optional<core::Duration> opens_in) {
  if (patience == Patience::waits) return within(opens_in.value_or(core::quarantine_length(record.longest)));
  std::string text = left_text(quarantine_left(record, runtime::wall_now_ms()));
  text.front() = 'N';
  return " " + text + ".";
}

}  // namespace

QuarantineLeft quarantine_left(const core::Record& record, std::int64_t wall_now_ms) {
  const auto since = std::max(milliseconds(wall_now_ms - record.made_ms), milliseconds::zero());
  const auto in_whole_seconds = [](core::Duration left) {
    return std::max(std::chrono::ceil<seconds>(left), seconds(1));
  };
  const core::Duration length = core::quarantine_length(record.longest);
  QuarantineLeft left;
  if (since < length) left.if_waited = in_whole_seconds(length - since);
  // If nobody was there to sit it out, it ends at the first try after twice the cap.
  // Not where several nodes had no record: one call alone does not open these.
  const bool by_one_call = !record.unknown() || core::nodes_in(record.terms.set) == 1;
  left.at_most =
      in_whole_seconds(by_one_call ? std::min(length, 2 * core::Duration(record.longest) - since) : length);
  return left;
}

std::string left_text(const QuarantineLeft& left) {
  const std::string at_most = "within " + in_seconds(left.at_most);
  if (!left.if_waited || left.if_waited == left.at_most)
    return "new grants " + at_most + ", once a client waits for them";
  return "new grants in " + in_seconds(*left.if_waited) + " if a client has been waiting, otherwise " +
         at_most + ", once one waits";
}

std::string not_open_text(const core::Refusal& refusal, const Nodes& nodes, Patience patience,
                          std::optional<core::Duration> opens_in) {
  const auto& [record, text] = refusal.record;
  const std::string who = subject(refusal, nodes);
  const bool many = nodes.several() && refusal.closed.size() != 1;
  const std::string unknown = who +
                              (many ? " have no record of Tenure: new, or their data was lost"
                                    : " has no record of Tenure: new, or its data was lost") +
                              needed(nodes);
  const core::Duration length = core::quarantine_length(nodes.keyspace.cap);
  if (refusal.record.absent()) {
    return unknown + (patience == Patience::waits ? within(opens_in.value_or(length)) : "") +
           init_hint(nodes);
  }
  if (text == went_back) {
    return who + " went back to older data, as from a copy, and may have forgotten leases" + needed(nodes) +
           within(opens_in.value_or(length));
  }
  if (!record) {
    return who + ": the key " + nodes.keyspace.record() + " is not a record of Tenure: \"" +
           core::printable(text, 60) + "\"";
  }
  const std::string one = nodes.several() ? "one of the nodes" : who;
  if (record->terms.set != nodes.keyspace.set) {
    const auto [what, advice] = set_text(*record, nodes.keyspace);
    return one + ": " + what + ": " + advice;
  }
  if (record->terms.cap != nodes.keyspace.cap) {
    const std::string cap = core::to_text(record->terms.cap);
    return one + ": the cap of this Redis is " + cap + ", ours is " + core::to_text(nodes.keyspace.cap) +
           ": use --ttl-max " + cap;
  }
  if (record->open) return who + ": the record has changed at this moment; try again";
  const std::string when = when_text(*record, patience, opens_in);
  if (record->unknown()) {
    // A set of which no node knows anything could be a slip of the pen.
    const std::string all =
        nodes.several()
            ? " For that a node must still have its record, or none may be away (gone for good: tenure "
              "reconfigure without it)."
            : "";
    return unknown + when + all + init_hint(nodes);
  }
  if (record->reconfigured()) {
    return who + (many ? " were" : " was") +
           " given another set of nodes or another cap, and leases of before may last" + needed(nodes) + when;
  }
  return who + (many ? " were" : " was") +
         " restarted, promoted or restored from a copy and may have forgotten leases" + needed(nodes) + when;
}

}  // namespace tenure::redis
