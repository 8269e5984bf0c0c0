// tenure sessions ls.
#include <unistd.h>

#include <cstdio>

#include "cli/fleet/fleet_look.hpp"
#include "cli/fleet/fleet_output.hpp"
#include "cli/fleet/sessions.hpp"
#include "cli/message.hpp"
#include "cli/secrets.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

std::string sessions_table(const FleetView& view, const Screen& screen) {
  std::vector<Row> rows{{"ID", "ADDRESS", "EVERY", "PAUSED", "OWNER", "LEFT", "LAST"}};
  for (const auto& it : view.sessions) {
    const auto& session = it.session;
    rows.push_back({core::printable(session.id, 60), without_secrets(core::printable(session.address, 80)),
                    core::to_text(session.interval), session.paused ? "yes" : "no", owner_cell(it),
                    lease_left(it), result_cell(it, view.now_ms)});
  }
  for (const auto& [id, why] : view.bad) {
    rows.push_back({core::printable(id, 60), {"bad: " + why, Tone::bad}, "-", "-", "-", "-", "-"});
  }
  return aligned(rows, screen);
}

int sessions_ls(const SessionsLsArgs& args) {
  auto fleet = choose_fleet(args.target);
  if (!fleet) return fail(ExitCode::usage, fleet.error());
  const std::string where = open_data(*fleet)->sessions_place("");
  const auto view = FleetLook(std::move(*fleet)).look();
  if (!view) return fail(ExitCode::no_quorum, view.error());
  if (!args.json && view->sessions.empty() && view->bad.empty()) {
    return fail(ExitCode::done, "there are no sessions" +
                                    std::string(args.target.index ? " in the index" : "") +
                                    "; one would be " + where);
  }
  const std::string text = args.json ? sessions_json(*view) : sessions_table(*view, screen_of(STDOUT_FILENO));
  std::fputs(text.c_str(), stdout);
  return finish_output();
}

}  // namespace tenure::cli
