#include "cli/fleet/explain.hpp"

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

std::string result_line(const SessionView& session, std::int64_t now_ms) {
  std::string line = "last result: " + result_words(session, now_ms);
  if (session.failing()) line += ": " + without_secrets(core::printable(session.result.text->error));
  if (session.result.token != 0) line += " (token " + std::to_string(session.result.token) + ")";
  return line + "\n";
}

std::string room_words(const Candidate& it) {
  if (it.owned > it.quota) return std::to_string(it.owned - it.quota) + " over";
  if (it.owned < it.quota) return std::to_string(it.quota - it.owned) + " under";
  return "full";
}

std::string candidates_table(const Explanation& explanation) {
  if (explanation.candidates.empty()) return "";
  std::vector<Row> rows{{"RANK", "INSTANCE", "WEIGHT", "OWNED", "QUOTA", "ROOM"}};
  for (const auto& it : explanation.candidates) {
    rows.push_back({std::to_string(rows.size()), core::printable(it.id, 60), std::to_string(it.weight),
                    std::to_string(it.owned), std::to_string(it.quota), room_words(it)});
  }
  return "\n" + aligned(rows);
}

std::string page(const FleetView& view, std::size_t at) {
  const SessionView& it = view.sessions[at];
  const auto explanation = explain(view, at);
  return core::printable(it.session.id) + ": " + without_secrets(core::printable(it.session.address)) +
         " every " + core::to_text(it.session.interval) + (it.session.paused ? ", paused" : "") + "\n" +
         "lease: " + lock_words(it.lease) + "\n" + result_line(it, view.now_ms) + "\n" + explanation.why +
         "\n" + (view.closed.empty() ? "" : "\n" + closed_words(view)) + candidates_table(explanation);
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
  std::fputs(page(*view, static_cast<std::size_t>(found - view->sessions.begin())).c_str(), stdout);
  return finish_output();
}

}  // namespace tenure::cli
