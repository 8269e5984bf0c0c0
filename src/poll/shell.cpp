#include "poll/shell.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace tenure::poll {

namespace {

using runtime::Descriptor;

constexpr int cannot_run = 127;

// Between fork and exec of a process with many threads: nothing here allocates or locks.
[[noreturn]] void become(pid_t parent, int out, char* const* argv, char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(cannot_run);  // it died before that took effect
  setpgid(0, 0);
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &plain, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(cannot_run);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  sigset_t none{};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(argv[0], argv, environment);
  _exit(cannot_run);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

tl::expected<Shell, int> Shell::start(const std::string& command,
                                      const std::vector<std::string>& environment) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(errno);
  Descriptor out(ends[0]);
  const Descriptor in(ends[1]);
  fcntl(out.get(), F_SETFL, O_NONBLOCK);
  std::vector<std::string> words{"/bin/sh", "-c", command};
  std::vector<std::string> variables = environment;
  const auto argv = pointers(words);
  const auto envp = pointers(variables);
  const pid_t parent = getpid();
  // A handler of the application must not run in the child.
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  const int error = errno;
  if (pid == 0) become(parent, in.get(), argv.data(), envp.data());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return tl::unexpected(error);
  // The child does the same; whoever comes first, the group is there when we go on.
  setpgid(pid, pid);
  // It has not been reaped, so its number is still its own.
  Descriptor end(static_cast<int>(syscall(SYS_pidfd_open, pid, 0U)));
  const int no_descriptor = errno;
  Shell shell(pid, std::move(end), std::move(out));
  if (!shell.end_) return tl::unexpected(no_descriptor);
  return shell;
}

Shell::Shell(pid_t pid, Descriptor end, Descriptor out)
    : pid_(pid), end_(std::move(end)), out_(std::move(out)) {}

Shell::Shell(Shell&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), end_(std::move(other.end_)), out_(std::move(other.out_)) {}

Shell::~Shell() {
  if (pid_ != 0) {
    signal(SIGKILL);
    reap();
  }
}

void Shell::signal(int signal) const { ::kill(-pid_, signal); }

int Shell::reap() {
  // While it is not reaped, the number of the group means no other.
  signal(SIGKILL);
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = waitpid(pid_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  pid_ = 0;
  // The application reaps children that are not its own, or ignores SIGCHLD.
  if (reaped < 0) return cannot_run;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace tenure::poll
