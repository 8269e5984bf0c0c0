#include "cli/supervise/countdown.hpp"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/lock/lock_output.hpp"
#include "cli/screen/screen.hpp"
#include "core/base/text.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::cli {

namespace {

constexpr auto redraw_every = std::chrono::seconds(1);

// A terminal that is held (Ctrl-S) must not hold us, and there is nobody to tell when it is gone.
void write_to_terminal(const std::string& text) {
  pollfd terminal{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&terminal, 1, 0) <= 0) return;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

// A job in the background does not write between what its user types.
bool is_in_foreground() { return tcgetpgrp(STDERR_FILENO) == getpgrp(); }

}  // namespace

std::string waiting_line(const std::string& name, const LockView& lock) {
  const std::string others = lock.waiters < 2    ? ""
                             : lock.waiters == 2 ? ", 1 other waits"
                                                 : ", " + std::to_string(lock.waiters - 1) + " others wait";
  return "waiting for " + core::printable(name) + ": " + lock_words(lock) + others;
}

std::string quarantine_line(const std::string& name, core::Duration left) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(left);
  const std::string when =
      seconds.count() > 0 ? "no grants for another " + core::to_text(seconds) : "grants at any moment";
  return "waiting for " + core::printable(name) + ": " + when + " (quarantine)";
}

bool Countdown::can_be_seen() {
  const char* terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return isatty(STDERR_FILENO) == 1 && is_in_foreground() &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

Countdown::~Countdown() {
  thread_.request_stop();
  hourglass_.end();
  if (thread_.joinable()) thread_.join();
  erase();
}

void Countdown::begin(const Refusal& why) {
  const std::lock_guard hold(mutex_);
  kind_ = why.code == Refusal::Code::held ? Kind::held : why.opens_in ? Kind::quarantine : Kind::nothing;
  if (why.opens_in) opens_at_ = runtime::boot_now() + *why.opens_in;
  change_ += 1;
  changed_.notify_all();
  if (kind_ != Kind::nothing && !thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { count(stop); });
  }
}

void Countdown::erase() {
  const std::lock_guard hold(mutex_);
  if (std::exchange(drawn_, false)) write_to_terminal("\r\x1b[K");
}

void Countdown::count(const std::stop_token& stop) {
  const runtime::Hourglass::Scope scope(&hourglass_);
  std::unique_lock hold(mutex_);
  while (!stop.stop_requested()) {
    const auto change = change_;
    const Kind kind = kind_;
    const core::Time opens_at = opens_at_;
    hold.unlock();
    const std::string text = line(kind, opens_at);  // may take a node's time
    hold.lock();
    if (stop.stop_requested()) return;
    if (change != change_) continue;
    if (!text.empty() && is_in_foreground()) draw(text);
    changed_.wait_for(hold, stop, redraw_every, [&] { return change != change_; });
  }
}

std::string Countdown::line(Kind kind, core::Time opens_at) const {
  switch (kind) {
    case Kind::held: {
      const auto lock = look_();
      return lock ? waiting_line(name_, *lock) : "";
    }
    case Kind::quarantine:
      return quarantine_line(name_, opens_at - runtime::boot_now());
    case Kind::nothing:
      break;
  }
  return "";
}

// Not into the last column: some terminals go to the next line from there.
void Countdown::draw(const std::string& line) {
  const std::size_t columns_now = screen_of(STDERR_FILENO).columns;
  const std::size_t room = columns_now == unlimited ? unlimited : columns_now - 1;
  write_to_terminal("\r" + clipped("tenure: " + line, room) + "\x1b[K");
  drawn_ = true;
}

}  // namespace tenure::cli
