#include "core/lease/clock_watch.hpp"

#include <algorithm>
#include <utility>

#include "core/lease/record.hpp"

namespace tenure::core {

namespace {

constexpr Duration look_every = std::chrono::seconds(1);
// What may be a slow thread, or a clock that was set by a hair.
constexpr Duration jitter = std::chrono::milliseconds(100);

}  // namespace

bool ClockWatch::due(NodeIndex node, Time now) const {
  const Node& it = nodes_.at(node);
  return !it.sent && (!it.last || now - it.last->before >= look_every);
}

std::optional<Duration> ClockWatch::on_reply(NodeIndex node, const Reply& reply, Time now) {
  Node& it = nodes_.at(node);
  const auto sent = std::exchange(it.sent, std::nullopt);
  const auto* clock = std::get_if<NodeClock>(&reply);
  if (clock == nullptr || !sent) return std::nullopt;
  const Look look{clock->unix_time, *sent, now};
  const auto last = std::exchange(it.last, look);
  if (!last) return std::nullopt;
  // Between the two looks at least and at most so much has passed here; clocks that are being slewed differ
  // by a tenth.
  const Duration shown = look.shown - last->shown;
  const Duration least = look.after - last->before;
  const Duration most = look.before - last->after;
  Duration jump{};
  if (shown > most + most / 10 + jitter) jump = shown - most;
  if (shown < least - least / 10 - jitter) jump = shown - least;
  if (jump == Duration::zero()) return std::nullopt;
  it.distrusted_until = now + quarantine_length(cap_);
  return jump;
}

std::optional<Time> ClockWatch::distrusted_until(NodeIndex node, Time now) const {
  const Time until = nodes_.at(node).distrusted_until;
  return now < until ? std::optional(until) : std::nullopt;
}

}  // namespace tenure::core
