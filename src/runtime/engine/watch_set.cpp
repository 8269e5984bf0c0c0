#include "runtime/engine/watch_set.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace tenure::runtime {

namespace {

std::uint32_t epoll_events(short events) {
  return ((events & POLLIN) != 0 ? EPOLLIN : 0U) | ((events & POLLOUT) != 0 ? EPOLLOUT : 0U);
}

}  // namespace

WatchSet::WatchSet() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

// What cannot be added is read by the client's own thread, a moment later.
void WatchSet::control(int what, int fd, short events) {
  if (fd < 0) return;
  epoll_event event{};
  event.events = epoll_events(events);
  epoll_ctl(epoll_.get(), what, fd, &event);
}

void WatchSet::add(int fd) { control(EPOLL_CTL_ADD, fd, POLLIN); }

void WatchSet::set(std::vector<Awaited> awaited) {
  std::vector<Descriptor> copies(awaited.size());
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const Awaited& old = watched_[i];
    const auto same = std::ranges::find_if(awaited, [&](const Awaited& it) {
      return it.fd >= 0 && it.connection == old.connection && it.fd == old.fd;
    });
    if (same == awaited.end()) {
      control(EPOLL_CTL_DEL, copies_[i].get(), 0);
      continue;
    }
    if (same->events != old.events) control(EPOLL_CTL_MOD, copies_[i].get(), same->events);
    copies[static_cast<std::size_t>(same - awaited.begin())] = std::move(copies_[i]);
  }
  for (std::size_t i = 0; i < awaited.size(); ++i) {
    if (copies[i] || awaited[i].fd < 0) continue;
    copies[i].reset(fcntl(awaited[i].fd, F_DUPFD_CLOEXEC, 0));
    control(EPOLL_CTL_ADD, copies[i].get(), awaited[i].events);
  }
  watched_ = std::move(awaited);
  copies_ = std::move(copies);
}

}  // namespace tenure::runtime
