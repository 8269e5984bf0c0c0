#include "cli/fleet/status.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <limits>
#include <mutex>

#include "cli/fleet/fleet_look.hpp"
#include "cli/fleet/fleet_output.hpp"
#include "cli/message.hpp"
#include "cli/supervise/stop_on_signal.hpp"

namespace tenure::cli {

namespace {

constexpr std::size_t lines_usual = 50;
constexpr auto redraw_every = std::chrono::seconds(1);

std::string render(const StatusArgs& args, const FleetView& view) {
  if (args.json) return status_json(view, args.target.fleet);
  return status_page(view, args.target.fleet,
                     args.all ? std::numeric_limits<std::size_t>::max() : lines_usual);
}

// As many lines as the screen has: more would roll what matters most out of it.
std::string fitted(const std::string& page) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2) return page;
  std::size_t end = 0;
  for (int line = 0; line + 1 < size.ws_row; ++line) {
    end = page.find('\n', end);
    if (end == std::string::npos) return page;
    end += 1;
  }
  return page.substr(0, end);
}

// Home, then everything below cleared: less flicker than an empty screen in between.
void draw(const std::string& page) {
  std::fputs("\x1b[H\x1b[J", stdout);
  std::fputs(fitted(page).c_str(), stdout);
}

int watch(const StatusArgs& args, FleetLook& look) {
  Signals signals;
  StopOnSignal stop(signals);
  const bool on_terminal = isatty(STDOUT_FILENO) == 1 && !args.json;
  if (on_terminal) std::fputs("\x1b[2J", stdout);
  std::mutex mutex;
  std::condition_variable_any sleep;
  std::unique_lock lock(mutex);
  while (!stop.token().stop_requested()) {
    // Redis may be away for a while: whoever watches wants to see it come back.
    const auto view = look.look();
    if (on_terminal) {
      draw(view ? render(args, *view) : view.error() + "\n");
    } else if (view) {
      std::fputs((render(args, *view) + (args.json ? "" : "\n")).c_str(), stdout);
    } else {
      say(view.error());
    }
    if (std::fflush(stdout) != 0) return finish_output();  // who read it is gone
    sleep.wait_for(lock, stop.token(), redraw_every, [] { return false; });
  }
  return finish_output();
}

}  // namespace

int status(const StatusArgs& args) {
  auto fleet = choose_fleet(args.target);
  if (!fleet) return fail(ExitCode::usage, fleet.error());
  FleetLook look(std::move(*fleet));
  if (args.watch) return watch(args, look);
  const auto view = look.look();
  if (!view) return fail(ExitCode::no_quorum, view.error());
  std::fputs(render(args, *view).c_str(), stdout);
  return finish_output();
}

}  // namespace tenure::cli
