// Calls that do not block, of one thread: its handlers give names back and take them again.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <chrono>
#include <vector>

#include "client_of.hpp"

namespace tenure::bench {

// One thread that sleeps in epoll: a handler gives its name back and takes it again.
class Callbacks {
 public:
  Callbacks(const Client& client, const std::vector<Lock>& locks, int cycles)
      : client_(client), locks_(locks), cycles_(cycles), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, client.descriptor(), &event);
  }
  ~Callbacks() { ::close(epoll_); }
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  void block() {
    left_ = locks_.size();
    for (const Lock& lock : locks_) begin(lock, cycles_);
    while (left_ > 0) {
      epoll_event ready{};
      epoll_wait(epoll_, &ready, 1, -1);
      client_.poll();
    }
  }

 private:
  void begin(const Lock& lock, int cycles) {
    lock.async_acquire({.wait_max = std::chrono::milliseconds::zero()},
                       [this, &lock, cycles](tl::expected<Lease, Refusal> lease) {
                         expect(lease.has_value(), "no lease");
                         lease->async_release([this, &lock, cycles](const auto& released) {
                           expect(released.has_value(), "not released");
                           if (cycles > 1) return begin(lock, cycles - 1);
                           left_ -= 1;
                         });
                       });
  }

  const Client& client_;
  const std::vector<Lock>& locks_;
  int cycles_;
  int epoll_;
  std::size_t left_ = 0;
};

}  // namespace tenure::bench
