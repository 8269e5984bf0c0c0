#include "cli/supervise/terminal.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace tenure::cli {

bool has_terminal() { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

bool lends_terminal_at_once() { return has_terminal() && isatty(STDOUT_FILENO) == 1; }

void lend_terminal(pid_t group) { tcsetpgrp(STDIN_FILENO, group); }

bool is_lent_to(pid_t group) { return tcgetpgrp(STDIN_FILENO) == group; }

void take_terminal_back(pid_t group) {
  if (is_lent_to(group)) tcsetpgrp(STDIN_FILENO, getpgrp());
}

bool has_job_control() {
  const pid_t parent = getppid();
  return getsid(parent) == getsid(0) && getpgid(parent) != getpgrp();
}

namespace {

// As kill() names them.
void stop(pid_t whom) {
  sigset_t stop{};
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  sigset_t before{};
  kill(whom, SIGTSTP);
  // Here it takes effect, on all threads.
  pthread_sigmask(SIG_UNBLOCK, &stop, &before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // What continued us has been obeyed.
  sigset_t go_on{};
  sigemptyset(&go_on);
  sigaddset(&go_on, SIGCONT);
  const timespec at_once{};
  sigtimedwait(&go_on, nullptr, &at_once);
}

}  // namespace

void stop_own_group() { stop(0); }

void stop_ourselves() { stop(getpid()); }

}  // namespace tenure::cli
