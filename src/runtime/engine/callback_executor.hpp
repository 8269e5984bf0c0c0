// Runs what concerns the user (stop callbacks, log sentences) on threads of its own, so that none of it can hold
// up a renewal.
#pragma once

#include <functional>
#include <memory>

namespace tenure::runtime {

class CallbackExecutor {
 public:
  // With one thread news are told in order. With several, a callback that takes its time delays no other.
  explicit CallbackExecutor(std::size_t threads_max);
  ~CallbackExecutor();  // after everything that was posted has run

  CallbackExecutor(const CallbackExecutor&) = delete;
  CallbackExecutor& operator=(const CallbackExecutor&) = delete;

  // There is a thread from here on, so that nothing is told on the thread that posts it. Throws std::system_error.
  void make_thread();

  // Not for more than the listener can take: what would be the thousandth in the queue is dropped, if it may be.
  enum class Kind { must_arrive, may_be_dropped };
  void post(std::function<void()> news, Kind kind);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the threads, which may outlive this
};

}  // namespace tenure::runtime
