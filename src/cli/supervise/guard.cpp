#include "cli/supervise/guard.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

#include "cli/message.hpp"
#include "cli/supervise/child.hpp"
#include "cli/supervise/lease_environment.hpp"
#include "process/forked.hpp"
#include "process/process_tree.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/boot_timer.hpp"

namespace tenure::cli {

namespace {

runtime::Descriptor told_of_children() {
  runtime::Descriptor fd = process::block_signals();
  if (!fd) throw std::system_error(errno, std::generic_category(), "signalfd");
  return fd;
}

class Guard {
 public:
  Guard(Command& command, const Signals& signals, const Leash& tenure)
      : command_(command), signals_(signals), tenure_(tenure) {}

  int watch() {
    while (!is_over()) wait();
    // At one instant, and without /proc. The command has not been reaped: the number is still its own.
    if (child_) child_->signal(SIGKILL);
    tree_.end({.on_ended = [this](const siginfo_t& how) { on_ended(how); },
               .on_refused = [this](pid_t pid) { report({.kind = Report::Kind::refused, .pid = pid}); },
               .on_stuck = [this](pid_t pid) { report({.kind = Report::Kind::stuck, .pid = pid}); }});
    return code_;
  }

 private:
  void report(const Report& report) const { tenure_.say(report); }

  bool is_over() {
    if (!hear()) return true;
    if (!child_) return false;
    if (const auto signal = child_->stopped()) report({.kind = Report::Kind::stopped, .number = *signal});
    orphans_left_ = tree_.reap_except(child_->pid());
    if (child_->ended()) return true;
    if (runtime::boot_now() < kill_at_) return false;
    report({.kind = Report::Kind::late});
    return true;
  }

  // All orders so far. False: everything is to end, because tenure says so or is gone.
  bool hear() {
    Order order;
    while (true) {
      switch (tenure_.hear(order)) {
        case Leash::Heard::nothing:
          return true;
        case Leash::Heard::end:
          return false;
        case Leash::Heard::message:
          if (!obey(order)) return false;
      }
    }
  }

  bool obey(const Order& order) {
    switch (order.kind) {
      case Order::Kind::start:
        kill_at_ = order.kill_at;
        return start(order);
      case Order::Kind::guard:
        kill_at_ = order.kill_at;
        break;
      case Order::Kind::pass_on:
        if (child_) child_->signal(order.signal);
        break;
      case Order::Kind::tell_to_end:
        if (child_) tree_.ask_to_end(child_->pid(), kill_at_);
        break;
      case Order::Kind::kill:
        return false;
    }
    return true;
  }

  bool start(const Order& order) {
    tell_of_lease(command_, order.token, order.deadline);
    const auto child = Child::start(command_, {.signals = signals_,
                                               .tenure = tenure_,
                                               .start_by = order.start_by,
                                               .lend_terminal = order.lend_terminal});
    if (!child) {
      report({.kind = Report::Kind::not_started, .number = child.error()});
      return false;
    }
    child_ = *child;
    report({.kind = Report::Kind::started, .pid = child_->pid()});
    return true;
  }

  void wait() {
    timer_.set(child_ ? std::optional(kill_at_) : std::nullopt);
    std::array<pollfd, 3> ready{
        {{tenure_.fd(), POLLIN, 0}, {children_.get(), POLLIN, 0}, {timer_.fd(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), orphans_left_ ? 0 : -1);
    timer_.clear();
    process::clear_signals(children_);
  }

  void on_ended(const siginfo_t& how) {
    if (!child_ || how.si_pid != child_->pid()) return;
    code_ = how.si_code == CLD_EXITED ? how.si_status : number_of_signal(how.si_status);
  }

  Command& command_;
  const Signals& signals_;
  const Leash& tenure_;
  runtime::Descriptor children_{told_of_children()};
  process::ProcessTree tree_;
  runtime::BootTimer timer_;
  std::optional<Child> child_;
  core::Time kill_at_{};
  bool orphans_left_ = false;
  int code_ = number(ExitCode::own_error);
};

}  // namespace

int guard(Command& command, const Signals& signals, const Leash& tenure) noexcept {
  std::optional<Guard> guard;
  try {
    guard.emplace(command, signals, tenure);
  } catch (const std::system_error& error) {
    // There is nothing to guard yet. tenure sees that we are gone before it has started anything.
    return fail(ExitCode::own_error, std::string("the watchdog cannot begin: ") + error.what());
  }
  return guard->watch();
}

}  // namespace tenure::cli
