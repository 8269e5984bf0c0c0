#include "cli/fleet/explain.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/fleet/explain_view.hpp"
#include "cli/fleet/fleet_look.hpp"
#include "cli/fleet/fleet_output.hpp"
#include "cli/lock/lock_output.hpp"
#include "cli/message.hpp"
#include "cli/secrets.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

std::string result_line(const SessionView& session, std::int64_t now_ms, const Paint& paint) {
  const Cell result = result_cell(session, now_ms);
  std::string line = "last result: " + paint(result.tone, result.text);
  if (session.failing()) line += ": " + without_secrets(core::printable(session.result.text->error));
  if (session.result.token != 0) line += " (token " + std::to_string(session.result.token) + ")";
  return line + "\n";
}

std::string room_words(const Candidate& it) {
  if (it.owned > it.quota) return std::to_string(it.owned - it.quota) + " over";
  if (it.owned < it.quota) return std::to_string(it.quota - it.owned) + " under";
  return "full";
}

std::string candidates_table(const Explanation& explanation, const Screen& screen) {
  if (explanation.candidates.empty()) return "";
  std::vector<Row> rows{{"RANK", "INSTANCE", "WEIGHT", "OWNED", "QUOTA", "ROOM"}};
  for (const auto& it : explanation.candidates) {
    rows.push_back({std::to_string(rows.size()), core::printable(it.id, 60), std::to_string(it.weight),
                    std::to_string(it.owned), std::to_string(it.quota), room_words(it)});
  }
  return "\n" + aligned(rows, screen);
}

std::string page(const FleetView& view, std::size_t at, const Screen& screen) {
  const SessionView& it = view.sessions[at];
  const auto explanation = explain(view, at);
  const Paint& paint = screen.paint;
  const Tone lease_tone = it.nobody() ? Tone::bad : tone_of(it.lease.state);
  return paint(Tone::heading, core::printable(it.session.id)) + ": " +
         without_secrets(core::printable(it.session.address)) + " every " +
         core::to_text(it.session.interval) + (it.session.paused ? ", paused" : "") + "\n" +
         "lease: " + paint(lease_tone, lock_words(it.lease)) + "\n" + result_line(it, view.now_ms, paint) +
         "\n" + explanation.why + "\n" + (view.closed.empty() ? "" : "\n" + closed_words(view, paint)) +
         candidates_table(explanation, screen);
}

}  // namespace

int explain(const ExplainArgs& args) {
  auto fleet = choose_fleet(args.target);
  if (!fleet) return fail(ExitCode::usage, fleet.error());
  if (const auto error = core::name_error("the session id", args.id)) return fail(ExitCode::usage, *error);
  const auto view = FleetLook(std::move(*fleet)).look();
  if (!view) return fail(ExitCode::no_quorum, view.error());
  if (const auto bad = std::ranges::find(view->bad, args.id, &BadSession::id); bad != view->bad.end()) {
    return fail(ExitCode::unknown,
                core::printable(args.id) + " is a bad session, and is not polled: " + bad->why);
  }
  const auto found = std::ranges::find(view->sessions, args.id,
                                       [](const auto& it) -> const std::string& { return it.session.id; });
  if (found == view->sessions.end()) {
    return fail(ExitCode::unknown, "there is no session " + core::printable(args.id));
  }
  const auto at = static_cast<std::size_t>(found - view->sessions.begin());
  std::fputs(page(*view, at, screen_of(STDOUT_FILENO)).c_str(), stdout);
  return finish_output();
}

}  // namespace tenure::cli
