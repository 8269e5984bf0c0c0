// An event loop by hand, as a user has one: sleeps in epoll, and polls its client when it is woken.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <chrono>

#include "integration/api.hpp"

namespace tenure::test {

class EventLoop {
 public:
  explicit EventLoop(const Client& client) : EventLoop(client.descriptor()) {}
  explicit EventLoop(int descriptor) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }
  ~EventLoop() { ::close(epoll_); }
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Was it woken within that time?
  bool sleep(std::chrono::milliseconds time) const {
    epoll_event event{};
    return epoll_wait(epoll_, &event, 1, static_cast<int>(time.count())) > 0;
  }
  // Polls whenever it is woken, until that is so; never in vain for more than ten seconds.
  template <class Condition>
  bool run_until(const Client& client, const Condition& condition) {
    while (!condition()) {
      if (!sleep(std::chrono::seconds(10))) return false;
      woken += 1;
      client.poll();
    }
    return true;
  }

  int woken = 0;

 private:
  int epoll_;
};

using Acquired = tl::expected<Lease, Refusal>;

}  // namespace tenure::test
