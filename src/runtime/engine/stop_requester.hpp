// Requests stops on threads of its own. A request runs the callbacks that users have registered with the token, on the
// thread that makes it, and they may block for as long as they like; none of them delays the stop of another.
// One thread makes all requests while callbacks return soon. While a request has to wait, more threads are started, as
// many as it takes; they end when no request waits any more. What blocks therefore costs a thread until it returns.
#pragma once

#include <memory>
#include <stop_token>

namespace tenure::runtime {

class StopRequester {
 public:
  // Throws std::system_error where the kernel gives no thread.
  StopRequester();
  // After all callbacks of what was posted have returned.
  ~StopRequester();

  StopRequester(const StopRequester&) = delete;
  StopRequester& operator=(const StopRequester&) = delete;

  void post(std::stop_source stop);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the threads, which may outlive this
};

}  // namespace tenure::runtime
