// Somebody who waits for a lock by the public API, on a thread of its own. Cancelled and joined when it goes.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stop_token>
#include <string>

#include "tenure/tenure.hpp"

namespace tenure::test {

class WaitingClient {
 public:
  using Result = tl::expected<Lease, Refusal>;

  explicit WaitingClient(const Lock& lock)
      : result_(std::async(std::launch::async, [lock, told = told_, stop = stop_.get_token()] {
          // With an end, so that it also waits for a server that is too slow for its first request.
          Wait wait{.wait_max = std::chrono::minutes(10)};
          wait.on_waiting = [&](const Refusal&) { told->test_and_set(); };
          return lock.acquire(wait, stop);
        })) {}
  ~WaitingClient() { stop_.request_stop(); }
  WaitingClient(const WaitingClient&) = delete;
  WaitingClient& operator=(const WaitingClient&) = delete;

  // Has it been told that it has to wait?
  bool waits() const { return told_->test(); }
  bool done() const { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  // Blocks; once.
  Result get() { return result_.get(); }

 private:
  std::shared_ptr<std::atomic_flag> told_ = std::make_shared<std::atomic_flag>();
  std::stop_source stop_;
  std::future<Result> result_;
};

}  // namespace tenure::test
