#include "cli/fleet/status.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <limits>
#include <mutex>

#include "cli/fleet/fleet_look.hpp"
#include "cli/fleet/fleet_output.hpp"
#include "cli/message.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "cli/supervise/terminal.hpp"

namespace tenure::cli {

namespace {

constexpr std::size_t lines_usual = 50;
constexpr auto redraw_every = std::chrono::seconds(1);

std::string render(const StatusArgs& args, const FleetView& view, const Screen& screen) {
  if (args.json) return status_json(view, args.target.fleet);
  return status_page(view, args.target.fleet,
                     args.all ? std::numeric_limits<std::size_t>::max() : lines_usual, screen);
}

using Seen = tl::expected<FleetView, std::string>;

// Home, then everything below cleared: less flicker than an empty screen in between.
void draw(const StatusArgs& args, const Seen& view) {
  const Screen screen = screen_of(STDOUT_FILENO);
  const std::string page = view ? render(args, *view, screen) : view.error() + "\n";
  std::fputs(("\x1b[H\x1b[J" + fitted(page, screen)).c_str(), stdout);
}

void print(const StatusArgs& args, const Seen& view) {
  if (!view) return say(view.error());
  std::fputs((render(args, *view, {.paint = paint_for(STDOUT_FILENO)}) + (args.json ? "" : "\n")).c_str(),
             stdout);
}

int watch(const StatusArgs& args, FleetLook& look) {
  std::mutex mutex;
  std::condition_variable_any sleep;
  bool resized = false;
  Signals signals;
  StopOnSignal stop(signals, [&](int signal) {
    if (signal == SIGTSTP) stop_own_group();
    if (signal != SIGWINCH && signal != SIGTSTP) return;
    const std::lock_guard hold(mutex);
    resized = true;
    sleep.notify_all();
  });
  const bool on_terminal = isatty(STDOUT_FILENO) == 1 && !args.json;
  if (on_terminal) std::fputs("\x1b[2J", stdout);
  while (!stop.token().stop_requested()) {
    // Redis may be away for a while: whoever watches wants to see it come back.
    const auto view = look.look();
    std::unique_lock lock(mutex);
    do {
      resized = false;
      on_terminal ? draw(args, view) : print(args, view);
      if (std::fflush(stdout) != 0) return finish_output();  // who read it is gone
      // A window of another size shows the same at once.
      sleep.wait_for(lock, stop.token(), redraw_every, [&] { return resized; });
    } while (resized && on_terminal && !stop.token().stop_requested());
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
  std::fputs(render(args, *view, screen_of(STDOUT_FILENO)).c_str(), stdout);
  return finish_output();
}

}  // namespace tenure::cli
