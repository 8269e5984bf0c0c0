#include "cli/supervise/watchdog.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "cli/supervise/guard.hpp"
#include "process/forked.hpp"

namespace tenure::cli {

using process::wait_for;

Watchdog::Watchdog(Command& command, const Signals& signals, std::optional<int> listener)
    : Watchdog(Leash::make(), command, signals, listener) {}

Watchdog::Watchdog(std::pair<Leash, Leash> ends, Command& command, const Signals& signals,
                   std::optional<int> listener)
    : leash_(std::move(ends.first)) {
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ > 0) {
    setpgid(pid_, pid_);  // as it does itself: whoever comes first
    return;
  }

  // What stops or ends our group must not reach it. It stays in our session: the command needs a parent there to
  // be stopped and continued by the terminal; and should we die while the watchdog is stopped, the kernel continues
  // it, as it does with every stopped group that nobody in its session looks after any more.
  setpgid(0, 0);
  process::call_watchdog();
  if (listener) close(*listener);
  leash_.let_go();
  _exit(guard(command, signals, ends.second));
}

Watchdog::~Watchdog() {
  if (pid_ < 0) return;
  leash_.let_go();
  kill(pid_, SIGCONT);
  wait_for(P_PID, pid_, WEXITED);
}

void Watchdog::order(const Order& order) const {
  leash_.say(order);
  // Somebody may have stopped it while there was nothing to guard.
  if (order.kind == Order::Kind::start) kill(pid_, SIGCONT);
}

std::optional<Report> Watchdog::next() {
  Report report;
  const auto heard = ended_ ? Leash::Heard::end : leash_.hear(report);
  if (heard == Leash::Heard::message) return report;
  if (heard == Leash::Heard::end) ended_ = true;
  return std::nullopt;
}

std::optional<int> Watchdog::finish(const process::ProcessTree::Events& events) {
  const siginfo_t how = wait_for(P_PID, std::exchange(pid_, -1), WEXITED);
  if (how.si_code == CLD_EXITED) return how.si_status;
  // Its children became ours when it died.
  tree_.end(events);
  return std::nullopt;
}

void Watchdog::on_child() {
  tree_.reap_except(pid_);
  // A stopped one guards nothing.
  if (wait_for(P_PID, pid_, WSTOPPED | WNOHANG).si_pid != 0) kill(pid_, SIGCONT);
}

}  // namespace tenure::cli
