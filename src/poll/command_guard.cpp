#include "poll/command_guard.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "poll/command_orders.hpp"
#include "process/forked.hpp"
#include "process/leash.hpp"
#include "process/process_tree.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/boot_timer.hpp"

namespace tenure::poll {

namespace {

using process::Leash;
using process::wait_for;

constexpr int leash_fd = 3;
constexpr int cannot_run = 127;

// Between fork and exec, in memory that is still the watchdog's.
[[noreturn]] void become(const GuardedCommand& command, pid_t parent) {
  // Should the watchdog and the host both be killed, nobody is left to end the command.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(cannot_run);  // it died before that took effect
  setpgid(0, 0);
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &plain, nullptr);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  sigset_t none{};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // execve changes none of them.
  const std::array<char*, 4> words{const_cast<char*>("/bin/sh"), const_cast<char*>("-c"),
                                   const_cast<char*>(command.text), nullptr};
  execve(words[0], words.data(), command.environment);
  _exit(cannot_run);
}

class CommandGuard {
 public:
  explicit CommandGuard(const GuardedCommand& command) : command_(command), lease_until_(command.kill_at) {}

  CommandReport watch() {
    if (!children_) return {CommandReport::Kind::not_started, EMFILE};
    // Some time may have passed until we got here.
    if (is_over()) return {CommandReport::Kind::not_started, ETIME};
    if (const int error = start()) return {CommandReport::Kind::not_started, error};
    while (!is_over()) wait();
    // At one instant, and without /proc. The command has not been reaped: the number is still its own.
    kill(-child_, SIGKILL);
    CommandReport report{late_ ? CommandReport::Kind::late : CommandReport::Kind::ended, cannot_run};
    tree_.end({.on_ended = [this](const siginfo_t& how) {
      if (how.si_pid == child_) code_ = how.si_code == CLD_EXITED ? how.si_status : 128 + how.si_status;
    }});
    report.number = code_;
    return report;
  }
  const Leash& leash() const { return leash_; }

 private:
  int start() {
    const pid_t watchdog = getpid();
    // Not fork, which would copy the page tables of whatever process we are a copy of. We wait until exec.
    const pid_t pid = vfork();  // NOLINT(bugprone-unsafe-functions)
    if (pid == 0) become(command_, watchdog);
    if (pid < 0) return errno;
    child_ = pid;
    // The child does the same; whoever comes first, the group is there when we go on.
    setpgid(child_, child_);
    // What the command says ends with the command.
    dup2(STDIN_FILENO, STDOUT_FILENO);
    dup2(STDIN_FILENO, STDERR_FILENO);
    return 0;
  }

  core::Time kill_at() const { return std::min(lease_until_, end_by_); }

  bool is_over() {
    // Without the host nobody would end them if we were killed.
    if (getppid() != command_.host || !hear()) return true;
    if (child_ != 0) {
      orphans_left_ = tree_.reap_except(child_);
      if (wait_for(P_PID, child_, WEXITED | WNOHANG | WNOWAIT).si_pid != 0) return true;
    } else if (end_by_ != core::Time::max()) {
      return true;
    }
    if (runtime::boot_now() < kill_at()) return false;
    late_ = end_by_ == core::Time::max();
    return true;
  }

  // All orders so far. False: the poller is gone.
  bool hear() {
    CommandOrder order;
    while (true) {
      switch (leash_.hear(order)) {
        case Leash::Heard::nothing:
          return true;
        case Leash::Heard::end:
          return false;
        case Leash::Heard::message:
          obey(order);
      }
    }
  }

  void obey(const CommandOrder& order) {
    if (order.kind == CommandOrder::Kind::guard) {
      lease_until_ = order.kill_at;
      return;
    }
    const bool first = end_by_ == core::Time::max();
    end_by_ = std::min(end_by_, order.kill_at);
    if (first && child_ != 0 && runtime::boot_now() < kill_at()) tree_.ask_to_end(child_, kill_at());
  }

  void wait() {
    const core::Time at = kill_at();
    timer_.set(at != core::Time::max() ? std::optional(at) : std::nullopt);
    std::array<pollfd, 3> ready{
        {{leash_.fd(), POLLIN, 0}, {children_.get(), POLLIN, 0}, {timer_.fd(), POLLIN, 0}}};
    ::poll(ready.data(), ready.size(), orphans_left_ ? 0 : -1);
    timer_.clear();
    process::clear_signals(children_);
  }

  const GuardedCommand& command_;
  const Leash leash_{runtime::Descriptor(leash_fd)};
  const runtime::Descriptor children_{process::block_signals()};
  process::ProcessTree tree_;
  runtime::BootTimer timer_;
  pid_t child_ = 0;
  core::Time lease_until_;
  core::Time end_by_ = core::Time::max();  // it was told to end
  bool late_ = false;
  bool orphans_left_ = false;
  int code_ = cannot_run;
};

}  // namespace

int guard_command(const GuardedCommand& command) noexcept {
  // Told of like a child's end; whoever is woken by it looks for the host.
  prctl(PR_SET_PDEATHSIG, SIGCHLD);
  try {
    CommandGuard guard(command);
    guard.leash().say(guard.watch());
    return 0;
  } catch (...) {
    return 1;  // no memory or no descriptor: the host does the rest
  }
}

}  // namespace tenure::poll
