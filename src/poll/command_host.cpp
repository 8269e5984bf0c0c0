#include "poll/command_host.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory_resource>
#include <optional>
#include <utility>

#include "poll/command_guard.hpp"
#include "poll/command_orders.hpp"
#include "process/forked.hpp"
#include "process/leash.hpp"
#include "process/mapped_memory.hpp"
#include "process/process_tree.hpp"

namespace tenure::poll {

namespace {

using process::Leash;
using process::ProcessTree;
using process::wait_for;
using runtime::Descriptor;

constexpr int leash_fd = 3;
constexpr int poller_fd = 4;

// One message, as it came.
struct Request {
  std::pmr::vector<char> bytes{};
  std::array<Descriptor, start_descriptors> descriptors{};

  bool is_whole() const {
    return bytes.size() > sizeof(StartCommand) && bytes.back() == '\0' &&
           std::ranges::all_of(descriptors, [](const auto& it) { return static_cast<bool>(it); });
  }
};

class CommandHost {
 public:
  explicit CommandHost(const HostedCommands& commands) : commands_(commands) {}

  bool watch() {
    if (!children_) return false;
    while (hear()) {
      tend();
      wait();
    }
    tree_.spare_none();
    tree_.end({});
    return true;
  }

 private:
  // All requests so far. False: the poller has let go, or is gone.
  bool hear() {
    while (!poller_is_gone()) {
      // How long is it?
      const auto length = ::recv(leash_fd, nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
      if (length < 0) return errno == EAGAIN || errno == EINTR;
      if (length == 0) return false;
      start(receive(static_cast<std::size_t>(length)));
    }
    return false;
  }

  static Request receive(std::size_t length) {
    Request request;
    request.bytes.resize(length);
    iovec part{request.bytes.data(), request.bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(start_descriptors * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (::recvmsg(leash_fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0) return request;
    const cmsghdr* with = CMSG_FIRSTHDR(&message);
    if (with == nullptr || with->cmsg_type != SCM_RIGHTS) return request;
    // Fewer than were sent, where this process may have no more.
    const std::size_t count = (with->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < std::min(count, start_descriptors); ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(with) + i * sizeof fd, sizeof fd);
      request.descriptors[i].reset(fd);
    }
    return request;
  }

  void start(Request request) {
    // The poller sees its end of the leash come loose.
    if (!request.is_whole()) return;
    const pid_t host = getpid();
    const pid_t pid = fork();
    const int error = errno;
    if (pid == 0) _exit(become_watchdog(request, host));
    auto& leash = request.descriptors.front();
    if (pid < 0) {
      Leash(std::move(leash)).say(CommandReport{CommandReport::Kind::not_started, error});
      return;
    }
    setpgid(pid, pid);  // as it does itself: whoever comes first
    tree_.spare(pid);
    watchdogs_.emplace(pid, std::move(leash));
  }

  int become_watchdog(Request& request, pid_t host) const {
    setpgid(0, 0);
    const auto& [leash, out, err] = request.descriptors;
    if (!process::keep_descriptors<4>({STDIN_FILENO, out.get(), err.get(), leash.get()})) return 1;
    StartCommand start;
    std::memcpy(&start, request.bytes.data(), sizeof start);
    std::pmr::vector<char*> environment(commands_.environment.begin(), commands_.environment.end());
    char* const end = request.bytes.data() + request.bytes.size();
    for (char* at = request.bytes.data() + sizeof start; at < end; at += std::strlen(at) + 1) {
      environment.push_back(at);
    }
    environment.push_back(nullptr);
    return guard_command({commands_.text, environment.data(), start.kill_at, host});
  }

  static bool poller_is_gone() {
    pollfd gone{poller_fd, POLLIN, 0};
    return ::poll(&gone, 1, 0) > 0;
  }

  void tend() {
    const ProcessTree::Events events{.on_ended = [this](const siginfo_t& how) { on_ended(how); }};
    if (orphans_ && tree_.step(*orphans_, events)) {
      // Nobody is left of those whose watchdogs were killed: now the poller may know.
      abandoned_.clear();
      orphans_.reset();
    }
    if (!orphans_) {
      for (auto how = next(WEXITED); how.si_pid != 0; how = next(WEXITED)) {
        tree_.forget(how.si_pid);
        on_ended(how);
      }
    }
    // A stopped watchdog guards nothing.
    for (auto how = next(WSTOPPED); how.si_pid != 0; how = next(WSTOPPED)) {
      if (watchdogs_.contains(how.si_pid)) kill(how.si_pid, SIGCONT);
    }
  }
  static siginfo_t next(int what) { return wait_for(P_ALL, 0, what | WNOHANG | __WALL); }

  void on_ended(const siginfo_t& how) {
    auto watchdog = watchdogs_.extract(how.si_pid);
    if (watchdog.empty() || (how.si_code == CLD_EXITED && how.si_status == 0)) return;
    // It was killed: what it guarded is ours now.
    abandoned_.push_back(std::move(watchdog.mapped()));
    orphans_.emplace();
  }

  void wait() {
    std::array<pollfd, 3> ready{
        {{leash_fd, POLLIN, 0}, {poller_fd, POLLIN, 0}, {children_.get(), POLLIN, 0}}};
    ::poll(ready.data(), ready.size(), orphans_ ? static_cast<int>(orphans_->pause.count()) : -1);
    process::clear_signals(children_);
  }

  const HostedCommands& commands_;
  const Descriptor children_{process::block_signals()};
  ProcessTree tree_;
  // Each with a copy of its end of the leash. The poller sees that come loose when there is no other copy: a watchdog that
  // was killed has let go of its own, but what it has left may still be there.
  std::pmr::map<pid_t, Descriptor> watchdogs_;
  std::pmr::vector<Descriptor> abandoned_;
  std::optional<ProcessTree::Ending> orphans_;  // while there may be any
};

}  // namespace

int host_commands(const HostedCommands& commands) noexcept {
  const process::WithoutHeap without_heap;
  try {
    return CommandHost(commands).watch() ? 0 : 1;
  } catch (...) {
    return 1;  // no memory: the watchdogs end what they guard
  }
}

}  // namespace tenure::poll
