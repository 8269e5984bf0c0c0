#include "core/lease/clock_watch.hpp"

#include <algorithm>
#include <utility>

#include "core/lease/record.hpp"

namespace tenure::core {

namespace {

constexpr Duration look_every = std::chrono::seconds(1);
// What may be a slow thread, or a clock that was set by a hair.
constexpr Duration jitter = std::chrono::milliseconds(100);

// How far a clock has jumped between two looks at it.
Duration jump_between(const ClockWatch::Look& last, const ClockWatch::Look& look) {
  // At least and at most so much has passed here; clocks that are being slewed differ by a tenth.
  const Duration shown = look.shown - last.shown;
  const Duration least = look.after - last.before;
  const Duration most = look.before - last.after;
  if (shown > most + most / 10 + jitter) return shown - most;
  if (shown < least - least / 10 - jitter) return shown - least;
  return Duration::zero();
}

}  // namespace

const ClockWatch::Clock* ClockWatch::clock_of(Place place) const {
  const Node& node = nodes_.at(place.node);
  const auto known = node.parts.find(place.part);
  if (known == node.parts.end() || !known->second.clock) return nullptr;
  return &node.clocks.at(*known->second.clock);
}

bool ClockWatch::due(Place place, Time now) const {
  const Node& node = nodes_.at(place.node);
  const auto known = node.parts.find(place.part);
  if (known != node.parts.end() && known->second.sent) return false;
  const Clock* clock = clock_of(place);
  if (clock == nullptr) return true;
  return !clock->asked_for && (!clock->last || now - clock->last->before >= look_every);
}

void ClockWatch::on_sent(Place place, Time now) {
  Node& node = nodes_.at(place.node);
  Known& known = node.parts[place.part];
  known.sent = now;
  if (known.clock) node.clocks.at(*known.clock).asked_for = place.part;
}

std::optional<Duration> ClockWatch::on_reply(Place place, const Reply& reply, Time now) {
  Node& node = nodes_.at(place.node);
  Known& known = node.parts[place.part];
  const auto sent = std::exchange(known.sent, std::nullopt);
  for (auto& [id, clock] : node.clocks) {
    if (clock.asked_for == place.part) clock.asked_for.reset();
  }
  const auto* shown = std::get_if<NodeClock>(&reply);
  if (shown == nullptr || !sent) return std::nullopt;
  known.clock = shown->clock;
  Clock& clock = node.clocks[shown->clock];
  const Look look{shown->unix_time, *sent, now};
  if (clock.last && look.after < clock.last->after) return std::nullopt;  // of another part, and later
  const auto last = std::exchange(clock.last, look);
  if (!last) return std::nullopt;
  const Duration jump = jump_between(*last, look);
  if (jump == Duration::zero()) return std::nullopt;
  clock.distrusted_until = now + quarantine_length(cap_);
  return jump;
}

void ClockWatch::on_moved(Place place) {
  Node& node = nodes_.at(place.node);
  const auto known = node.parts.find(place.part);
  if (known != node.parts.end()) known->second.clock.reset();
}

std::optional<Time> ClockWatch::distrusted_until(Place place, Time now) const {
  const Clock* clock = clock_of(place);
  Time until = clock != nullptr ? clock->distrusted_until : long_ago;
  if (clock == nullptr) {  // it may be any of them
    for (const auto& [id, any] : nodes_.at(place.node).clocks) until = std::max(until, any.distrusted_until);
  }
  return now < until ? std::optional(until) : std::nullopt;
}

std::optional<ClockWatch::Look> ClockWatch::last_look(NodeIndex node) const {
  const Clock* clock = clock_of({node, 0});
  return clock != nullptr ? clock->last : std::nullopt;
}

}  // namespace tenure::core
