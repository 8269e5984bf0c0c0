#include "runtime/engine/watch_set.hpp"

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
void WatchSet::control(int what, const Awaited& awaited) {
  if (awaited.fd < 0) return;
  epoll_event event{};
  event.events = epoll_events(awaited.events);
  const int done = epoll_ctl(epoll_.get(), what, awaited.fd, &event);
  // A dial that goes on with another address has closed its socket, and the next one may have the same number.
  if (done != 0 && what == EPOLL_CTL_MOD) epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, awaited.fd, &event);
}

void WatchSet::add(int fd) { control(EPOLL_CTL_ADD, {fd, POLLIN, 0}); }

void WatchSet::set(std::vector<Awaited> awaited) {
  // What is closed is in no set any more, and its number may be that of a new connection: so all that goes, goes first.
  for (const Awaited& old : watched_) {
    const auto same = [&](const Awaited& it) { return it.connection == old.connection && it.fd == old.fd; };
    if (std::ranges::none_of(awaited, same)) control(EPOLL_CTL_DEL, old);
  }
  for (const Awaited& it : awaited) {
    const auto old = std::ranges::find_if(
        watched_, [&](const Awaited& was) { return was.connection == it.connection && was.fd == it.fd; });
    if (old == watched_.end()) {
      control(EPOLL_CTL_ADD, it);
    } else if (old->events != it.events) {
      control(EPOLL_CTL_MOD, it);
    }
  }
  watched_ = std::move(awaited);
}

}  // namespace tenure::runtime
