// Runs what concerns the user (stop callbacks, log sentences) on a thread of its own, in order, so that
// none of it can hold up a renewal.
#pragma once

#include <functional>
#include <memory>
#include <thread>

namespace tenure::runtime {

class Herald {
 public:
  Herald();
  ~Herald();  // after everything that was posted has run

  Herald(const Herald&) = delete;
  Herald& operator=(const Herald&) = delete;

  void post(std::function<void()> news);

 private:
  struct State;

  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this
  std::thread thread_;            // started by the first news: most clients never have any
};

}  // namespace tenure::runtime
