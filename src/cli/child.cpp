#include "cli/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "cli/terminal.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/descriptor.hpp"

namespace tenure::cli {

namespace {

// Between fork and exec. There were threads: nothing here may allocate or lock.
[[noreturn]] void become(const Command& command, const Child::Conditions& conditions, pid_t parent,
                         bool has_the_terminal, int report) {
  // Should we be killed, nobody renews the lease, and the command must not go on.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(number(ExitCode::own_error));  // killed before that took effect
  setpgid(0, 0);
  if (has_the_terminal) lend_terminal(getpid());
  conditions.signals.restore();
  // From here, not from the parent: it may be stopped at any moment, and so may have been until now.
  conditions.watchdog.guard(getpid(), conditions.kill_at);
  const bool in_time = runtime::boot_now() < conditions.start_by;
  const int error = in_time ? command.exec() : ETIME;
  [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
  _exit(number(ExitCode::not_found));
}

siginfo_t wait_for(idtype_t type, pid_t id, int options) {
  siginfo_t info{};
  while (waitid(type, static_cast<id_t>(id), &info, options) != 0) {
    info.si_pid = 0;
    if (errno != EINTR) break;
  }
  return info;
}

}  // namespace

tl::expected<Child, int> Child::start(const Command& command, const Conditions& conditions) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(errno);
  const runtime::Descriptor read_end(ends[0]);
  runtime::Descriptor write_end(ends[1]);
  // Children of the command whose parent dies come to us, and can be waited for in finish().
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = getpid();
  const bool has_the_terminal = lends_terminal_at_once();
  const pid_t pid = fork();
  if (pid < 0) return tl::unexpected(errno);
  if (pid == 0) become(command, conditions, parent, has_the_terminal, write_end.get());

  // The child does the same; whoever comes first, the group is there when we go on.
  setpgid(pid, pid);
  write_end.reset();
  // A successful exec closes the pipe without a word.
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(read_end.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof error)) {
    take_terminal_back(pid);
    conditions.watchdog.stand_down();
    wait_for(P_PID, pid, WEXITED);
    return tl::unexpected(error);
  }
  return Child(pid);
}

void Child::signal(int signal) const { ::kill(-pid_, signal); }

std::optional<int> Child::stopped() const {
  const siginfo_t info = wait_for(P_PID, pid_, WSTOPPED | WNOHANG);
  if (info.si_pid == 0) return std::nullopt;
  return info.si_status;
}

bool Child::ended() const { return wait_for(P_PID, pid_, WEXITED | WNOHANG | WNOWAIT).si_pid != 0; }

int Child::finish() const {
  // Before the command is reaped: until then nobody else can get its group's number.
  signal(SIGKILL);
  const siginfo_t info = wait_for(P_PID, pid_, WEXITED);
  // Each of the others comes to us when its own parent dies, and is waited for here. One whose parent
  // left the group is not, but it has its SIGKILL.
  while (wait_for(P_PGID, pid_, WEXITED).si_pid != 0) {
  }
  take_terminal_back(pid_);
  return info.si_code == CLD_EXITED ? info.si_status : number_of_signal(info.si_status);
}

void reap_orphans(const Child& child) {
  while (true) {
    const pid_t ended = wait_for(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT).si_pid;
    if (ended == 0 || ended == child.group()) return;
    wait_for(P_PID, ended, WEXITED | WNOHANG);
  }
}

}  // namespace tenure::cli
