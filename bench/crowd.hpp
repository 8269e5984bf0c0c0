// Threads that wait for their turn: starting them is not what is measured.
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace tenure::bench {

class Crowd {
 public:
  using Work = std::function<void(std::size_t caller)>;

  Crowd(std::size_t callers, Work work)
      : work_(std::move(work)),
        start_(static_cast<std::ptrdiff_t>(callers) + 1),
        end_(static_cast<std::ptrdiff_t>(callers) + 1) {
    for (std::size_t i = 0; i < callers; ++i) {
      threads_.emplace_back([this, i](const std::stop_token& stop) {
        while (true) {
          start_.arrive_and_wait();
          if (stop.stop_requested()) return;
          work_(i);
          end_.arrive_and_wait();
        }
      });
    }
  }
  ~Crowd() {
    for (auto& thread : threads_) thread.request_stop();
    start_.arrive_and_wait();
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // All of them do their work once.
  void block() {
    start_.arrive_and_wait();
    end_.arrive_and_wait();
  }

 private:
  Work work_;
  std::barrier<> start_;
  std::barrier<> end_;
  std::vector<std::jthread> threads_;
};

}  // namespace tenure::bench
