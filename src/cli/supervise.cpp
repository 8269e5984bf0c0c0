#include "cli/supervise.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <optional>
#include <stop_token>

#include "cli/message.hpp"
#include "cli/terminal.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/boot_timer.hpp"
#include "runtime/loss_text.hpp"

namespace tenure::cli {

namespace {

using core::LossReason;
using runtime::boot_now;

class Supervisor {
 public:
  explicit Supervisor(const Supervised& supervised) : run_(supervised) {}

  Ending watch() {
    const std::stop_callback wake(run_.lease.lost(), [this] { eventfd_write(lost_.get(), 1); });
    while (true) {
      on_signals();
      on_terminal();
      on_time();
      if (run_.child.ended()) break;
      wait();
    }
    const bool lost = ending_ || run_.lease.loss() || !run_.lease.held();
    run_.watchdog.stand_down();
    return {run_.child.finish(), lost};
  }

 private:
  // The command has been told to end.
  struct Notice {
    core::Time kill_at{};
    core::Time deadline{};
    bool killed = false;
    bool told_late = false;
  };

  void wait() {
    timer_.set(next_time());
    std::array<pollfd, 3> ready{
        {{run_.signals.fd(), POLLIN, 0}, {lost_.get(), POLLIN, 0}, {timer_.fd(), POLLIN, 0}}};
    // A shell tells nobody when "fg" gives us the terminal.
    poll(ready.data(), ready.size(), wants_terminal_ ? 200 : -1);
    timer_.clear();
    eventfd_t count = 0;
    eventfd_read(lost_.get(), &count);
  }

  std::optional<core::Time> next_time() const {
    if (!ending_) {
      // Halfway the lease has been renewed, if all is well: time to tell the watchdog.
      const core::Time halfway = guarded_ - run_.timing.ttl / 2;
      return boot_now() < halfway ? halfway : guarded_ - run_.timing.grace;
    }
    if (!ending_->killed) return ending_->kill_at;
    if (!ending_->told_late) return ending_->deadline;
    return std::nullopt;
  }

  void on_signals() {
    while (const auto signal = run_.signals.next()) {
      switch (*signal) {
        case SIGCHLD:
          on_stopped();
          reap_orphans(run_.child);
          break;
        case SIGTSTP:
        case SIGTTIN:
        case SIGTTOU:
          break;  // a holder that stands still keeps everybody waiting
        default:
          run_.child.signal(*signal);
      }
    }
  }

  // The shell that started us sees only us run: nobody else would ever continue a stopped command, and
  // it would hold the name for ever.
  void on_stopped() {
    const auto signal = run_.child.stopped();
    if (signal == SIGTSTP) run_.child.signal(SIGCONT);
    if (signal != SIGTTIN && signal != SIGTTOU) return;
    wants_terminal_ = true;
    if (!has_terminal()) say(run_.name + ": the command waits for the terminal; bring it to the foreground");
  }

  // Continued without the terminal, the command would only stop again, without end.
  void on_terminal() {
    if (!wants_terminal_ || !has_terminal()) return;
    lend_terminal(run_.child.group());
    run_.child.signal(SIGCONT);
    wants_terminal_ = false;
  }

  void on_time() {
    const core::Time now = boot_now();
    if (!ending_) {
      // The same instant that the lease's own loss is due at: whichever of the two threads is late, the
      // other is there.
      const bool told = run_.lease.loss().has_value();
      const core::Time deadline = run_.lease.deadline();
      if (told || now >= deadline - run_.timing.grace) {
        begin_to_end(now);
      } else if (deadline != guarded_) {
        guarded_ = deadline;
        run_.watchdog.guard(run_.child.group(), watchdog_kills_at(deadline, run_.timing));
      }
    }
    if (ending_ && !ending_->killed && now >= ending_->kill_at) {
      run_.child.signal(SIGKILL);
      ending_->killed = true;
    }
    if (ending_ && ending_->killed && !ending_->told_late && now >= ending_->deadline &&
        !run_.child.ended()) {
      say(run_.name + ": the command has not died by the deadline; still waiting for it");
      ending_->told_late = true;
    }
  }

  void begin_to_end(core::Time now) {
    const LossReason reason = run_.lease.loss().value_or(LossReason::not_renewed);
    const bool in_time = reason == LossReason::not_renewed;
    say("lost " + run_.name + ": " + runtime::loss_text(reason) + "; ending the command");
    const core::Time deadline = run_.lease.deadline();
    // A key that is gone may already be another's: then there is no time to be polite.
    ending_ = Notice{.kill_at = in_time ? deadline - run_.timing.grace / 4 : now,
                     .deadline = deadline,
                     .killed = false,
                     .told_late = !in_time};
    if (in_time) {
      run_.child.signal(SIGTERM);
      run_.child.signal(SIGCONT);  // a stopped one would not hear it
    }
  }

  const Supervised& run_;
  runtime::BootTimer timer_;
  runtime::Descriptor lost_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  core::Time guarded_{};  // the deadline that the watchdog knows
  std::optional<Notice> ending_;
  bool wants_terminal_ = false;
};

}  // namespace

core::Time watchdog_kills_at(core::Time deadline, const core::Timing& timing) {
  return deadline - timing.grace / 8;
}

Ending supervise(const Supervised& supervised) { return Supervisor(supervised).watch(); }

}  // namespace tenure::cli
