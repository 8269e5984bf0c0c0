#include "runtime/engine/callback_executor.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tenure::runtime {

namespace {

constexpr std::size_t queue_max = 1000;

}  // namespace

struct CallbackExecutor::State {
  explicit State(std::size_t limit) : threads_max(limit) {}

  const std::size_t threads_max;
  std::mutex mutex;
  std::condition_variable more;
  std::deque<std::function<void()>> news;
  std::vector<std::thread> threads;  // started when there is news and nobody free to tell it
  std::size_t idle = 0;
  bool stopping = false;

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      idle += 1;
      more.wait(lock, [this] { return stopping || !news.empty(); });
      idle -= 1;
      if (news.empty()) return;
      auto next = std::move(news.front());
      news.pop_front();
      lock.unlock();
      next();
      next = nullptr;  // what it holds may be the last handle of this very client
      lock.lock();
    }
  }
};

CallbackExecutor::CallbackExecutor(std::size_t threads_max) : state_(std::make_shared<State>(threads_max)) {}

CallbackExecutor::~CallbackExecutor() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    threads.swap(state_->threads);
  }
  state_->more.notify_all();
  for (auto& thread : threads) {
    // A callback of the user may drop the last handle: a thread cannot wait for itself.
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

void CallbackExecutor::make_thread() {
  const std::lock_guard lock(state_->mutex);
  if (state_->threads.empty()) state_->threads.emplace_back([state = state_] { state->run(); });
}

void CallbackExecutor::post(std::function<void()> news, Kind kind) {
  std::unique_lock lock(state_->mutex);
  if (kind == Kind::may_be_dropped && state_->news.size() >= queue_max) return;
  state_->news.push_back(std::move(news));
  if (state_->news.size() > state_->idle && state_->threads.size() < state_->threads_max) {
    try {
      state_->threads.emplace_back([state = state_] { state->run(); });
    } catch (const std::system_error&) {
      // The threads that there are tell it later; with none at all, it is told here rather than never.
      if (state_->threads.empty()) {
        const auto now = std::move(state_->news.back());
        state_->news.pop_back();
        lock.unlock();
        now();
        return;
      }
    }
  }
  state_->more.notify_one();
}

}  // namespace tenure::runtime
