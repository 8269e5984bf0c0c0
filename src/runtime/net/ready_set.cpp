#include "runtime/net/ready_set.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "runtime/timespec.hpp"

namespace tenure::runtime {

ReadySet::ReadySet() : set_(epoll_create1(EPOLL_CLOEXEC)) {}

void ReadySet::watch(Key key, const Awaited& awaited, bool may_be_another) {
  const auto known = watched_.find(key);
  if (known != watched_.end() && known->second == awaited && !may_be_another) return;
  if (known != watched_.end() && known->second.fd != awaited.fd) {
    // It is closed, mostly, and the kernel has forgotten it. Its number may be another's by now.
    const int before = known->second.fd;
    const auto has_it = [&](const auto& it) { return it.first != key && it.second.fd == before; };
    if (std::ranges::none_of(watched_, has_it)) epoll_ctl(set_.get(), EPOLL_CTL_DEL, before, nullptr);
    watched_.erase(known);
  }
  if (awaited.fd < 0) return;
  watched_[key] = awaited;
  epoll_event event{};
  event.events =
      ((awaited.events & POLLIN) != 0 ? EPOLLIN : 0U) | ((awaited.events & POLLOUT) != 0 ? EPOLLOUT : 0U);
  event.data.u64 = key;
  if (epoll_ctl(set_.get(), EPOLL_CTL_MOD, awaited.fd, &event) != 0 && errno == ENOENT)
    epoll_ctl(set_.get(), EPOLL_CTL_ADD, awaited.fd, &event);
}

std::vector<ReadySet::Key> ReadySet::ready() const {
  std::array<epoll_event, 64> events{};
  const int count = epoll_wait(set_.get(), events.data(), static_cast<int>(events.size()), 0);
  std::vector<Key> keys;
  for (int i = 0; i < count; ++i) {
    const Key key = events.at(static_cast<std::size_t>(i)).data.u64;  // not aligned where it stands
    keys.push_back(key);
  }
  return keys;
}

bool ReadySet::writes() const {
  return std::ranges::any_of(watched_, [](const auto& it) { return (it.second.events & POLLOUT) != 0; });
}

Descriptor timer_after(core::Duration duration) {
  Descriptor timer(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  itimerspec due{};
  due.it_value = timespec_of(std::max(duration, core::Duration(1)));  // zero would disarm it
  timerfd_settime(timer.get(), 0, &due, nullptr);
  return timer;
}

core::Failure no_descriptor() {
  return {core::Applied::no, core::FailureCode::unreachable,
          "this machine has no file descriptor left to dial with"};
}

}  // namespace tenure::runtime
