#include "runtime/not_open_text.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::runtime {

namespace {

std::string init_hint(const Nodes& nodes) {
  return std::string(nodes.several() ? " If they are new" : " If it is new") + how_to_init(nodes);
}

// Of several nodes we know only that too many are like this one, not which.
std::string subject(const Nodes& nodes) {
  if (!nodes.several()) return redis::shown(nodes.addresses.front());
  return "too many of the " + std::to_string(nodes.addresses.size()) + " nodes";
}

std::string when_text(const core::Record& record, Patience patience) {
  if (patience == Patience::leaves) {
    return "in " + core::shown(quarantine_left(record, wall_now_ms()));
  }
  return "within " +
         core::shown(std::chrono::ceil<std::chrono::seconds>(core::quarantine_length(record.cap)));
}

// What a script says in place of the record where the data is older than what this client has seen there.
constexpr std::string_view went_back = "restored";

std::string unknown_text(const Nodes& nodes) {
  if (!nodes.several()) return "This Redis has no record of Tenure: new, or its data was lost.";
  return subject(nodes) + " have no record of Tenure: new, or their data was lost.";
}

}  // namespace

core::Duration quarantine_left(const core::Record& record, std::int64_t wall_now_ms) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto since = std::max(milliseconds(wall_now_ms - record.made_ms), milliseconds::zero());
  // If nobody was there to sit it out, it ends at the first try after twice the cap.
  const core::Duration left = core::quarantine_length(record.cap) - since;
  const core::Duration left_at_most = 2 * core::Duration(record.cap) - since;
  return std::max(std::chrono::ceil<seconds>(left > core::Duration::zero() ? left : left_at_most),
                  seconds(1));
}

std::string not_open_text(const std::string& text, const Nodes& nodes, Patience patience) {
  if (text.empty()) return unknown_text(nodes) + init_hint(nodes);
  if (text == went_back) {
    const core::Duration length = core::quarantine_length(nodes.keyspace.cap);
    return subject(nodes) + " went back to older data, as from a copy, and may have forgotten leases." +
           " New grants within " + core::shown(std::chrono::ceil<std::chrono::seconds>(length)) + ".";
  }
  const auto record = core::read_record(text);
  if (!record) {
    return subject(nodes) + ": the key " + nodes.keyspace.record() + " is not a record of Tenure: \"" +
           core::printable(text, 60) + "\"";
  }
  if (record->cap != nodes.keyspace.cap) {
    const std::string cap = core::shown(record->cap);
    return (nodes.several() ? "one of the nodes" : subject(nodes)) + ": the cap of this Redis is " + cap +
           ", ours is " + core::shown(nodes.keyspace.cap) + ": use --ttl-max " + cap;
  }
  if (record->open) return subject(nodes) + ": the record has changed at this moment; try again";
  const std::string when = " New grants " + when_text(*record, patience) + ".";
  if (record->unknown) return unknown_text(nodes) + when + init_hint(nodes);
  return subject(nodes) + (nodes.several() ? " were" : " was") +
         " restarted, promoted or restored from a copy and may have forgotten leases." + when;
}

}  // namespace tenure::runtime
