#include "cli/supervise/supervise.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <optional>
#include <stop_token>
#include <utility>

#include "cli/log.hpp"
#include "cli/message.hpp"
#include "cli/supervise/terminal.hpp"
#include "core/base/text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/boot_timer.hpp"
#include "runtime/net/event_descriptor.hpp"
#include "runtime/public_time.hpp"

namespace tenure::cli {

namespace {

using runtime::boot_now;

class Supervisor {
 public:
  explicit Supervisor(const Supervised& supervised) : run_(supervised) {}

  Ending watch() {
    const std::stop_callback wake(run_.lease.lost(), [this] { eventfd_write(lost_.get(), 1); });
    start();
    while (turn()) wait();
    ending_.exit_code = run_.watchdog.finish({.on_refused = [this](pid_t pid) { say_refused(pid); },
                                              .on_stuck = [this](pid_t pid) { say_stuck(pid); }});
    if (group_ != 0) take_terminal_back(group_);
    // A loss that is noticed only now, because we were stopped, is one all the same.
    if (!ending_.start_error) on_time();
    ending_.lost = notice_ || run_.lease.loss() || !run_.lease.held();
    return ending_;
  }

 private:
  // The command, and all that came of it, has been told to end.
  struct Notice {
    core::Time kill_at{};
    core::Time deadline{};
    bool killed = false;
    bool told_late = false;
  };

  void start() {
    const core::Time deadline = deadline_now();
    guarded_ = deadline;
    run_.watchdog.order({.kind = Order::Kind::start,
                         .kill_at = watchdog_kills_at(deadline),
                         .start_by = deadline - run_.lease.grace(),
                         .token = run_.lease.token(),
                         .deadline = deadline,
                         .lend_terminal = lends_terminal_at_once()});
  }

  // False: the watchdog has ended.
  bool turn() {
    const Turn turn(run_.pulse);
    on_signals();
    on_reports();
    if (run_.watchdog.ended()) return false;
    on_terminal();
    on_time();
    on_continued();
    return true;
  }

  void wait() {
    timer_.set(next_time());
    std::array<pollfd, 4> ready{{{run_.signals.fd(), POLLIN, 0},
                                 {run_.watchdog.fd(), POLLIN, 0},
                                 {lost_.get(), POLLIN, 0},
                                 {timer_.fd(), POLLIN, 0}}};
    // A shell tells nobody when "fg" gives us the terminal.
    poll(ready.data(), ready.size(), run_.notify.at_most(wants_terminal_ ? 200 : -1));
    run_.notify.beat();
    timer_.clear();
    eventfd_t count = 0;
    eventfd_read(lost_.get(), &count);
  }

  std::optional<core::Time> next_time() const {
    if (!notice_) {
      // Halfway the lease has been renewed, if all is well: time to tell the watchdog.
      const core::Time halfway = guarded_ - run_.lease.ttl() / 2;
      return boot_now() < halfway ? halfway : guarded_ - run_.lease.grace();
    }
    if (!notice_->killed) return notice_->kill_at;
    if (!notice_->told_late) return notice_->deadline;
    return std::nullopt;
  }

  void on_signals() {
    while (const auto signal = run_.signals.next()) {
      switch (*signal) {
        case SIGCHLD:
          run_.watchdog.on_child();
          break;
        case SIGTSTP:
          // The terminal was not lent, so that all of our group were told. Once the command has stopped, we do as well.
          if (notice_) break;
          told_to_stop_ = true;
          pass_on(SIGTSTP);
          break;
        case SIGTTIN:
        case SIGTTOU:
          break;  // a holder that stands still keeps everybody waiting
        case SIGCONT:
          told_to_stop_ = false;  // it did not stop
          continued_ = true;
          break;
        default:
          if (asks_to_end(*signal)) on_asked_to_end(*signal);
          pass_on(*signal);
      }
    }
  }

  void on_asked_to_end(int signal) {
    ending_.asked_to_end = signal;
    run_.notify.stopping();
  }

  void on_reports() {
    while (const auto report = run_.watchdog.next()) {
      switch (report->kind) {
        case Report::Kind::started:
          group_ = report->pid;
          break;
        case Report::Kind::not_started:
          ending_.start_error = report->number;
          break;
        case Report::Kind::stopped:
          on_stopped(report->number);
          break;
        case Report::Kind::late:
          log(log_event::command_killed,
              "tenure did not act in time (stopped, or held up): killed its command before the lease ends",
              {token()});
          break;
        case Report::Kind::refused:
          say_refused(report->pid);
          break;
        case Report::Kind::stuck:
          say_stuck(report->pid);
      }
    }
  }

  void on_stopped(int signal) {
    if (signal == SIGTSTP) stop_with_the_command();
    if (signal != SIGTTIN && signal != SIGTTOU) return;
    wants_terminal_ = true;
    if (has_terminal()) return;
    log(log_event::terminal_wanted,
        run_.name + ": the command waits for the terminal; bring it to the foreground");
  }

  // Ctrl-Z. The shell that started us sees only us: it has its prompt again when we stop, and "fg" continues us, and
  // through us the command. While we are stopped nothing renews the lease; the watchdog, which is not stopped, kills the
  // command before another can have the name. Where no shell could continue us, the command goes on at once: otherwise it
  // would stand still until it is killed. The same goes for one that somebody stopped by hand, and for one that is to end.
  void stop_with_the_command() {
    const bool told = std::exchange(told_to_stop_, false);
    const bool alone = is_lent_to(group_);  // only the command heard of it
    if (notice_ || (!told && !alone)) return pass_on(SIGCONT);
    continued_ = true;
    take_terminal_back(group_);
    tell_watchdog(deadline_now());
    if (has_job_control()) {
      const auto left = watchdog_kills_at(guarded_) - boot_now();
      log(log_event::suspended, run_.name + ": stopped; unless it is continued (fg, bg) within " +
                                    core::to_text(std::chrono::floor<std::chrono::seconds>(left)) +
                                    ", the command is killed, and the name is free for others");
    }
    alone ? stop_own_group() : stop_ourselves();
  }

  // By "fg" or "bg", or by whoever sent SIGCONT.
  void on_continued() {
    if (!std::exchange(continued_, false) || group_ == 0) return;
    if (!notice_ && lends_terminal_at_once()) lend_terminal(group_);
    pass_on(SIGCONT);
  }

  void tell_watchdog(core::Time deadline) {
    guarded_ = deadline;
    run_.watchdog.order({.kind = Order::Kind::guard, .kill_at = watchdog_kills_at(deadline)});
  }

  // Continued without the terminal, the command would only stop again, without end.
  void on_terminal() {
    if (!wants_terminal_ || !has_terminal()) return;
    lend_terminal(group_);
    pass_on(SIGCONT);
    wants_terminal_ = false;
  }

  void on_time() {
    const core::Time now = boot_now();
    if (!notice_) {
      const core::Time deadline = deadline_now();
      if (is_due(now)) {
        begin_to_end();
      } else if (deadline != guarded_) {
        tell_watchdog(deadline);
      }
    }
    if (notice_ && !notice_->killed && now >= notice_->kill_at) {
      run_.watchdog.order({.kind = Order::Kind::kill});
      notice_->killed = true;
    }
    if (notice_ && notice_->killed && !notice_->told_late && now >= notice_->deadline &&
        !run_.watchdog.ended()) {
      log(log_event::command_late,
          run_.name + ": the command has not died by the deadline; still waiting for it", {token()});
      notice_->told_late = true;
    }
  }

  // The same instant that the lease's own loss is due at: whichever of the two threads is late, the other is
  // there.
  bool is_due(core::Time now) const {
    return run_.lease.loss().has_value() || now >= deadline_now() - run_.lease.grace();
  }

  void begin_to_end() {
    const core::Time deadline = deadline_now();
    // A key that is gone may already be another's: then there is no time to be polite.
    const bool in_time = loss() == Loss::not_renewed;
    notice_ = Notice{.kill_at = deadline - run_.lease.grace() / 4,
                     .deadline = deadline,
                     .killed = !in_time,
                     .told_late = !in_time};
    // First this: a message to a terminal that is held (Ctrl-S) can take for ever.
    run_.watchdog.order({.kind = in_time ? Order::Kind::tell_to_end : Order::Kind::kill});
    log(log_event::command_stopped, "lost " + run_.name + ": " + describe(loss()) + "; ending the command",
        {token(), {"reason", std::string(to_string(loss()))}});
  }

  core::Time deadline_now() const { return runtime::to_core(run_.lease.deadline()); }
  Loss loss() const { return run_.lease.loss().value_or(Loss::not_renewed); }

  void pass_on(int signal) const { run_.watchdog.order({.kind = Order::Kind::pass_on, .signal = signal}); }

  void say_refused(pid_t pid) const {
    log(log_event::process_protected,
        run_.name + ": process " + std::to_string(pid) +
            " cannot be killed: it runs as another user; waiting until it ends",
        {pid_field(pid)});
  }

  void say_stuck(pid_t pid) const {
    log(log_event::process_stuck,
        run_.name + ": process " + std::to_string(pid) +
            " does not end though it was killed: a disk or network file system that hangs, or a debugger, "
            "holds it; waiting until it ends",
        {pid_field(pid)});
  }

  LogField token() const { return {"token", run_.lease.token()}; }
  static LogField pid_field(pid_t pid) { return {"pid", static_cast<std::uint64_t>(pid)}; }

  // A little later than we do it ourselves.
  core::Time watchdog_kills_at(core::Time deadline) const { return deadline - run_.lease.grace() / 8; }

  const Supervised& run_;
  runtime::BootTimer timer_;
  runtime::Descriptor lost_ = runtime::make_event_descriptor();
  core::Time guarded_{};  // the deadline that the watchdog knows
  std::optional<Notice> notice_;
  Ending ending_;
  pid_t group_ = 0;  // the command's, once it has one
  bool wants_terminal_ = false;
  bool told_to_stop_ = false;  // with all of our group, and the command is about to
  bool continued_ = false;     // we were, and the command must be
};

}  // namespace

Ending supervise(const Supervised& supervised) { return Supervisor(supervised).watch(); }

int watchdog_killed(const std::string& name) {
  return fail(ExitCode::own_error,
              name + ": the watchdog of tenure was killed; so the command was killed, too");
}

}  // namespace tenure::cli
