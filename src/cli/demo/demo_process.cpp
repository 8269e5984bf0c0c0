#include "cli/demo/demo_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "cli/supervise/command.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

tl::expected<DemoProcess, std::string> DemoProcess::start(const std::vector<std::string>& words,
                                                          const std::filesystem::path& log) {
  const auto command = Command::find(words);
  if (!command) return tl::unexpected(command.error().sentence);
  const runtime::Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const runtime::Descriptor out(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return tl::unexpected(std::string("this machine has no room for another process"));
  if (pid == 0) {
    setpgid(0, 0);  // the terminal's keys are not for it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGCHLD, SIG_DFL);
    dup2(nothing.get(), STDIN_FILENO);
    dup2(out.get(), STDOUT_FILENO);
    dup2(out.get(), STDERR_FILENO);
    command->exec();
    _exit(127);
  }
  return DemoProcess(pid);
}

DemoProcess::~DemoProcess() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

DemoProcess::DemoProcess(DemoProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

DemoProcess& DemoProcess::operator=(DemoProcess&& other) noexcept {
  // The old one leaves with the temporary.
  DemoProcess incoming(std::move(other));
  std::swap(pid_, incoming.pid_);
  return *this;
}

void DemoProcess::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

bool DemoProcess::ends_within(int milliseconds) {
  for (int waited = 0; pid_ > 0; waited += 10) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
    if (pid_ < 0 || waited >= milliseconds) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return pid_ < 0;
}

}  // namespace tenure::cli
