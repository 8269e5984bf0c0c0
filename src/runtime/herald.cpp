#include "runtime/herald.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace tenure::runtime {

struct Herald::State {
  std::mutex mutex;
  std::condition_variable more;
  std::deque<std::function<void()>> news;
  bool stopping = false;

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      more.wait(lock, [this] { return stopping || !news.empty(); });
      if (news.empty()) return;
      const auto next = std::move(news.front());
      news.pop_front();
      lock.unlock();
      next();
      lock.lock();
    }
  }
};

Herald::Herald() : state_(std::make_shared<State>()) {}

Herald::~Herald() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->more.notify_one();
  if (!thread_.joinable()) return;
  // A callback of the user may drop the last handle: a thread cannot wait for itself.
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void Herald::post(std::function<void()> news) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->news.push_back(std::move(news));
  }
  if (!thread_.joinable()) thread_ = std::thread([state = state_] { state->run(); });
  state_->more.notify_one();
}

}  // namespace tenure::runtime
