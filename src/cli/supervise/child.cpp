#include "cli/supervise/child.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "cli/supervise/terminal.hpp"
#include "process/process_tree.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::cli {

using process::wait_for;

namespace {

// Between fork and exec.
[[noreturn]] void become(const Command& command, const Child::Conditions& conditions, pid_t parent) {
  // Should the watchdog and tenure both be killed, nobody is left to end the command.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(number(ExitCode::own_error));  // killed before that took effect
  setpgid(0, 0);
  if (conditions.lend_terminal) lend_terminal(getpid());
  conditions.signals.restore();
  // The last look at the clock: whoever is stopped after it is killed in time.
  const bool in_time = runtime::boot_now() < conditions.start_by;
  const int error = in_time ? command.exec() : ETIME;
  conditions.tenure.say(Report{.kind = Report::Kind::not_started, .number = error});
  _exit(number(ExitCode::not_found));
}

}  // namespace

tl::expected<Child, int> Child::start(const Command& command, const Conditions& conditions) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return tl::unexpected(errno);
  if (pid == 0) become(command, conditions, parent);
  // The child does the same; whoever comes first, the group is there when we go on.
  setpgid(pid, pid);
  return Child(pid);
}

void Child::signal(int signal) const { ::kill(-pid_, signal); }

std::optional<int> Child::stopped() const {
  const siginfo_t info = wait_for(P_PID, pid_, WSTOPPED | WNOHANG);
  if (info.si_pid == 0) return std::nullopt;
  return info.si_status;
}

bool Child::ended() const { return wait_for(P_PID, pid_, WEXITED | WNOHANG | WNOWAIT).si_pid != 0; }

}  // namespace tenure::cli
