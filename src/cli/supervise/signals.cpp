#include "cli/supervise/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace tenure::cli {

namespace {

// SIGTSTP, SIGTTIN and SIGTTOU are taken so that they do not stop us at once: a stopped tenure cannot renew, and the watchdog
// must know first how long the command may go on.
constexpr std::array taken{SIGTERM, SIGINT,   SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
                           SIGCONT, SIGWINCH, SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU};

// What was ignored when we started stays so, here and in the command: nohup, and background jobs of
// scripts, rely on it.
bool is_ignored(int signal) {
  struct sigaction now{};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

void replace(int signal, void (*handler)(int), struct sigaction& before) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigaction(signal, &action, &before);
}

}  // namespace

Signals::Signals() {
  // Messages to a closed pipe must not end us while a command runs.
  replace(SIGPIPE, SIG_IGN, pipe_before_);
  // Where SIGCHLD is ignored, the kernel throws exit codes away.
  replace(SIGCHLD, SIG_DFL, child_before_);
  sigset_t set{};
  sigemptyset(&set);
  for (const int signal : taken) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  sigprocmask(SIG_BLOCK, &set, &mask_before_);
  fd_.reset(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_) throw std::system_error(errno, std::generic_category(), "signalfd");
}

std::optional<int> Signals::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void Signals::restore() const {
  sigaction(SIGPIPE, &pipe_before_, nullptr);
  sigaction(SIGCHLD, &child_before_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool asks_to_end(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

}  // namespace tenure::cli
