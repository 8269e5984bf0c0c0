#include "cli/web/history.hpp"

#include <algorithm>

namespace tenure::cli {

namespace {

// To go through everything takes a while, and little is won by doing it at every look.
constexpr UnixMs forget_every = 10'000;
constexpr std::size_t closed_max = 1'000;

bool has_ended_before(const ClosedSpan& span, UnixMs time) { return span.to && *span.to < time; }

void forget_before(std::deque<ClosedSpan>& spans, UnixMs time) {
  std::erase_if(spans, [&](const ClosedSpan& it) { return has_ended_before(it, time); });
  while (spans.size() > closed_max) spans.pop_front();
}

}  // namespace

// Over several nodes a token is the time at which it was proposed, as a rule, in microseconds. Where that lies between the two looks
// it says to the millisecond when the lease began.
OwnedSpan History::begun(const SeenOwner& seen, const Group& group, UnixMs at) const {
  OwnedSpan span{seen.owner, seen.token, group.looked, at, at, {}};
  const auto proposed = static_cast<UnixMs>(seen.token / 1'000);
  if (group.looked && proposed > *group.looked && proposed <= at) {
    span.from_min = proposed;
    span.from = proposed;
  }
  return span;
}

std::vector<OwnerChange> History::saw(const LaneGroup& key, std::span<const SeenOwner> owned, UnixMs at) {
  Group& group = groups_[key];
  std::vector<OwnerChange> changes;
  const bool first = !group.looked;
  const auto change = [&](const std::string& name, const std::string& was, const OwnedSpan& now) {
    if (!first) changes.push_back({name, was, now.owner, now.token, now.from_min.value_or(at), now.from});
  };
  const auto gone = [&](const std::string& name, Lane& lane) {
    if (lane.empty() || lane.back().to) return;
    lane.back().to = at;
    changes.push_back({name, lane.back().owner, "", 0, lane.back().to_min, at});
  };
  auto lane = group.lanes.begin();
  for (const SeenOwner& seen : owned) {
    while (lane != group.lanes.end() && natural_order(lane->first, seen.name) < 0) {
      gone(lane->first, lane->second);
      ++lane;
    }
    if (lane == group.lanes.end() || lane->first != seen.name) {
      lane = group.lanes.emplace_hint(lane, seen.name, Lane{});
    }
    Lane& spans = lane->second;
    const bool goes_on = !spans.empty() && !spans.back().to;
    if (goes_on && spans.back().owner == seen.owner && spans.back().token == seen.token) {
      spans.back().to_min = at;
    } else {
      const std::string was = goes_on ? spans.back().owner : "";
      OwnedSpan span = begun(seen, group, at);
      if (goes_on) spans.back().to = span.from;
      spans.push_back(std::move(span));
      spans_ += 1;
      change(seen.name, was, spans.back());
    }
    ++lane;
  }
  for (; lane != group.lanes.end(); ++lane) gone(lane->first, lane->second);
  if (group.looked) group.interval = at - *group.looked;
  group.looked = at;
  if (!group.since) group.since = at;
  if (!group.blind.empty() && !group.blind.back().to) group.blind.back().to = at;
  forget_old(at);
  return changes;
}

void History::saw_nothing(const LaneGroup& key, const std::string& why, UnixMs at) {
  Group& group = groups_[key];
  if (!group.blind.empty() && !group.blind.back().to) return;
  // What happened since the last look was not seen either.
  group.blind.push_back({"", why, group.looked.value_or(at), {}});
}

void History::saw_closed(std::span<const ClosedSpan> closed, UnixMs at) {
  for (ClosedSpan& it : closed_) {
    const bool still =
        std::ranges::any_of(closed, [&](const ClosedSpan& now) { return now.node == it.node; });
    if (!it.to && !still) it.to = at;
    for (const ClosedSpan& now : closed) {
      if (!it.to && now.node == it.node) it.why = now.why;
    }
  }
  for (const ClosedSpan& now : closed) {
    const bool known =
        std::ranges::any_of(closed_, [&](const ClosedSpan& it) { return !it.to && it.node == now.node; });
    if (!known) closed_.push_back({now.node, now.why, at, {}});
  }
}

const History::Lanes& History::lanes(const LaneGroup& group) const {
  static const Lanes none;
  const auto found = groups_.find(group);
  return found == groups_.end() ? none : found->second.lanes;
}

std::optional<UnixMs> History::since(const LaneGroup& group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? std::nullopt : found->second.since;
}

void History::forget(const LaneGroup& group) {
  for (const auto& [name, lane] : lanes(group)) spans_ -= lane.size();
  groups_.erase(group);
}

std::optional<UnixMs> History::interval(const LaneGroup& group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? std::nullopt : found->second.interval;
}

std::vector<ClosedSpan> History::blind(const LaneGroup& group) const {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return {};
  return {found->second.blind.begin(), found->second.blind.end()};
}

void History::forget_old(UnixMs now) {
  // Also where the clock was set back.
  if (now < forget_at_ && now > forget_at_ - 2 * forget_every) return;
  forget_at_ = now + forget_every;
  UnixMs kept = limits_.kept;
  forget_before(now - kept);
  // What goes on is always kept: there is no more of it than there are names.
  for (; spans_ > limits_.spans && kept > 0; kept /= 2) forget_before(now - kept / 2);
}

void History::forget_before(UnixMs time) {
  for (auto& [key, group] : groups_) {
    for (auto& [name, lane] : group.lanes) {
      spans_ -= std::erase_if(lane, [&](const OwnedSpan& it) { return it.to && *it.to < time; });
    }
    std::erase_if(group.lanes, [](const auto& it) { return it.second.empty(); });
    cli::forget_before(group.blind, time);
    if (group.since) group.since = std::max(*group.since, time);
  }
  cli::forget_before(closed_, time);
}

}  // namespace tenure::cli
