#include "cli/watchdog.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

#include "cli/message.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/boot_timer.hpp"

namespace tenure::cli {

namespace {

// What goes over the pipe. Small enough that a write is all or nothing.
struct Order {
  pid_t group = 0;  // 0: none
  core::Time kill_at{};
};

// Nothing that stops or ends tenure may reach the watchdog, and it must not keep anything open.
void leave_the_others() {
  setsid();
  sigset_t all{};
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_NAME, "tenure-watchdog");
  [[maybe_unused]] const int moved = chdir("/");
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
}

class Guard {
 public:
  explicit Guard(int leash) : leash_(leash) {}

  void watch() {
    while (hear()) {
      if (order_.group != 0 && runtime::boot_now() >= order_.kill_at) {
        say("tenure did not act in time (stopped, or held up): killed its command before the lease ends");
        end_command();
      }
      timer_.set(order_.group == 0 ? std::nullopt : std::optional(order_.kill_at));
      std::array<pollfd, 2> ready{{{leash_, POLLIN, 0}, {timer_.fd(), POLLIN, 0}}};
      poll(ready.data(), ready.size(), -1);
      timer_.clear();
    }
    end_command();
  }

 private:
  // All orders so far, the last one counts. False: tenure is gone.
  bool hear() {
    while (true) {
      Order order;
      const auto got = ::read(leash_, &order, sizeof order);
      if (got == 0) return false;
      if (got < 0) return errno == EAGAIN || errno == EINTR;
      order_ = order;
    }
  }

  void end_command() {
    if (order_.group != 0) kill(-order_.group, SIGKILL);
    order_.group = 0;
  }

  int leash_;
  Order order_;
  runtime::BootTimer timer_;
};

}  // namespace

Watchdog::Watchdog() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category());
  const runtime::Descriptor read_end(ends[0]);
  leash_.reset(ends[1]);
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ > 0) return;

  leave_the_others();
  // At 3, so that everything above can go: signals, files that the command was meant to get.
  dup2(read_end.get(), 3);
  close_range(4, ~0U, 0);
  Guard(3).watch();
  _exit(0);
}

Watchdog::~Watchdog() {
  leash_.reset();
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
  }
}

void Watchdog::guard(pid_t group, core::Time kill_at) const {
  const Order order{group, kill_at};
  // A watchdog that was killed is no reason to end the command: we are here ourselves.
  [[maybe_unused]] const auto written = ::write(leash_.get(), &order, sizeof order);
}

void Watchdog::stand_down() const { guard(0, {}); }

}  // namespace tenure::cli
