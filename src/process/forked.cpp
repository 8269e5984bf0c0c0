#include "process/forked.hpp"

#include <sys/prctl.h>
#include <sys/signalfd.h>

#include <csignal>

namespace tenure::process {

runtime::Descriptor block_signals() {
  sigset_t all{};
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  // Where SIGCHLD is ignored, the kernel throws exit codes away.
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &plain, nullptr);
  sigset_t of_children{};
  sigemptyset(&of_children);
  sigaddset(&of_children, SIGCHLD);
  return runtime::Descriptor(signalfd(-1, &of_children, SFD_NONBLOCK | SFD_CLOEXEC));
}

void clear_signals(const runtime::Descriptor& children) {
  signalfd_siginfo info{};
  while (::read(children.get(), &info, sizeof info) > 0) {
  }
}

void call_watchdog() { prctl(PR_SET_NAME, "lease-watchdog"); }

}  // namespace tenure::process
