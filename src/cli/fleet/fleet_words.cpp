#include <algorithm>

#include "cli/doctor/node_findings.hpp"
#include "cli/fleet/fleet_output.hpp"
#include "core/base/text.hpp"
#include "runtime/text/refusal_text.hpp"

namespace tenure::cli {

std::string age_words(std::int64_t milliseconds) {
  const std::int64_t seconds = std::max<std::int64_t>(0, milliseconds) / 1000;
  if (seconds < 120) return std::to_string(seconds) + "s";
  if (seconds < 120 * 60) return std::to_string(seconds / 60) + "m";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86'400) + "d";
}

std::string left_words(core::Ttl left) {
  if (left == core::Ttl(-2)) return "-";
  return left == core::Ttl(-1) ? "for ever" : runtime::left_text(left);
}

std::string closed_words(const FleetView& view, const Paint& paint) {
  if (view.closed.empty()) return "";
  const auto to_us = [](const ClosedNode& it) { return it.code == other_cap || it.code == other_set; };
  const std::string heading = !view.open ? "Nobody gets a new lease now:"
                              : std::ranges::all_of(view.closed, to_us)
                                  ? "Whoever names nodes and cap as you do gets no lease from these:"
                                  : "Enough nodes give new leases, but not these:";
  std::string text = paint(Tone::warning, heading) + "\n";
  for (auto it = view.closed.begin(); it != view.closed.end();) {
    // What is to be said of several nodes is said once.
    const auto same = [&](const ClosedNode& other) {
      return other.what == it->what && other.advice == it->advice;
    };
    const auto last = std::find_if_not(it, view.closed.end(), same);
    std::string nodes = it->node;
    for (auto next = it + 1; next != last; ++next) nodes += ", " + next->node;
    text += "  " + nodes + ": " + it->what + "\n    why: " + it->why + "\n    do:  " + it->advice + "\n";
    it = last;
  }
  return text;
}

std::string lease_left(const SessionView& session) {
  return left_words(session.lease.taken() ? session.lease.left : core::Ttl(-2));
}

std::string owner_words(const SessionView& session) {
  std::string owner = core::printable(session.lease.holder.owner, 60);
  switch (session.lease.state) {
    case LockState::held:
      return owner;
    case LockState::perhaps:
    case LockState::kept:
    case LockState::broken:
    case LockState::foreign:
      return std::string(word_for(session.lease.state)) + " " + owner;
    case LockState::free:
      break;
  }
  return session.session.paused ? "-" : "nobody";
}

Cell owner_cell(const SessionView& session) {
  return {owner_words(session), session.nobody() ? Tone::bad : Tone::plain};
}

Cell result_cell(const SessionView& session, std::int64_t now_ms) {
  return {result_words(session, now_ms), session.failing() ? Tone::bad : Tone::plain};
}

std::string result_words(const SessionView& session, std::int64_t now_ms) {
  const auto& [text, token] = session.result;
  if (!text) return token == 0 ? "never" : "unreadable";
  const std::string word = text->ok ? "ok" : "error";
  return text->at_ms ? word + " " + age_words(now_ms - *text->at_ms) + " ago" : word;
}

}  // namespace tenure::cli
