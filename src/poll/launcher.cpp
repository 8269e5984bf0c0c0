#include "poll/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "poll/command_host.hpp"
#include "poll/command_orders.hpp"
#include "process/forked.hpp"
#include "process/process_tree.hpp"

namespace tenure::poll {

namespace {

using process::Leash;
using runtime::Descriptor;

// 0, or an errno.
int send(const Leash& host, std::string& bytes, const std::array<int, start_descriptors>& descriptors) {
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* with = CMSG_FIRSTHDR(&message);
  with->cmsg_level = SOL_SOCKET;
  with->cmsg_type = SCM_RIGHTS;
  with->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(with), descriptors.data(), sizeof descriptors);
  return ::sendmsg(host.fd(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

Descriptor open_nothing() { return Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC)); }

}  // namespace

Launcher::Launcher(std::string command, std::vector<std::string> environment)
    : command_(std::move(command)), environment_(std::move(environment)) {
  pointers_.reserve(environment_.size());
  for (auto& variable : environment_) pointers_.push_back(variable.data());
}

Launcher::~Launcher() { end_host(); }

bool Launcher::is_busy() const {
  pollfd room{leash_.fd(), POLLOUT, 0};
  return host_ != 0 && ::poll(&room, 1, 0) == 0;
}

tl::expected<Shell, int> Launcher::start(const std::vector<std::string>& variables, core::Time kill_at) {
  try {
    return try_start(variables, kill_at);
  } catch (const std::system_error& error) {
    return tl::unexpected(error.code().value());
  }
}

tl::expected<Shell, int> Launcher::try_start(const std::vector<std::string>& variables, core::Time kill_at) {
  const StartCommand start{kill_at};
  std::string bytes(sizeof start, '\0');
  std::memcpy(bytes.data(), &start, sizeof start);
  for (const auto& variable : variables) {
    // What follows a zero byte would be a variable of its own.
    if (variable.find('\0') != std::string::npos) return tl::unexpected(EINVAL);
    bytes.append(variable).push_back('\0');
  }
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(errno);
  Descriptor out(ends[0]);
  const Descriptor in(ends[1]);
  fcntl(out.get(), F_SETFL, O_NONBLOCK);
  auto [ours, watchdogs] = Leash::make();
  // Ours as it is now. An application may have closed it; then its number may be that of a connection of ours, all of
  // which are closed on exec, as no standard error is.
  const Descriptor nothing = open_nothing();
  const int flags = fcntl(STDERR_FILENO, F_GETFD);
  const int err = flags >= 0 && (flags & FD_CLOEXEC) == 0 ? STDERR_FILENO : nothing.get();
  const std::array descriptors{watchdogs.fd(), in.get(), err};
  if (host_ == 0) {
    if (const int error = start_host()) return tl::unexpected(error);
  }
  int error = send(leash_, bytes, descriptors);
  if (error == EPIPE || error == ECONNRESET) {
    // Somebody has killed it.
    end_host();
    error = start_host();
    if (error == 0) error = send(leash_, bytes, descriptors);
  }
  if (error != 0) return tl::unexpected(error);
  return Shell(std::move(ours), std::move(out));
}

void Launcher::tend() const {
  if (host_ != 0 && process::wait_for(P_PID, host_, WSTOPPED | WNOHANG).si_pid != 0) kill(host_, SIGCONT);
}

int Launcher::start_host() {
  auto [ours, hosts] = Leash::make();
  // Leashes may be inherited by whatever else this process forks; its end cannot be missed this way.
  const Descriptor poller(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0U)));
  if (!poller) return errno;
  const Descriptor nothing = open_nothing();
  if (!nothing) return errno;
  // A handler of the application must not run in the copy.
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  const int error = errno;
  if (pid == 0) {
    setpgid(0, 0);
    process::call_watchdog();
    const int null = nothing.get();
    if (!process::keep_descriptors<5>({null, null, null, hosts.fd(), poller.get()})) _exit(1);
    _exit(host_commands({command_.c_str(), pointers_}));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return error;
  setpgid(pid, pid);  // as it does itself: whoever comes first
  host_ = pid;
  leash_ = std::move(ours);
  return 0;
}

void Launcher::end_host() {
  if (host_ == 0) return;
  // Letting go is not enough where the application has forked: its children have the same descriptor.
  ::shutdown(leash_.fd(), SHUT_RDWR);
  leash_.let_go();
  kill(host_, SIGCONT);
  process::wait_for(P_PID, std::exchange(host_, 0), WEXITED);
}

}  // namespace tenure::poll
