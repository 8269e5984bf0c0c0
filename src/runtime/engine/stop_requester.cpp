#include "runtime/engine/stop_requester.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/boot_clock.hpp"

namespace tenure::runtime {

namespace {

// A request that waits for longer gets more threads. Long enough for thousands of callbacks that only set a flag, and
// short beside the least grace, which has to cover several rounds of growth.
constexpr core::Duration wait_max = std::chrono::milliseconds(2);
// Each round brings so many more for every thread that there is: 200 callbacks that block need four rounds.
constexpr std::size_t growth = 3;

}  // namespace

struct StopRequester::State {
  struct Request {
    std::stop_source stop;
    core::Time posted;
  };
  using Lock = std::unique_lock<std::mutex>;

  std::mutex mutex;
  std::condition_variable work;   // for the workers
  std::condition_variable watch;  // for the watcher
  std::deque<Request> requests;
  std::vector<std::thread::id> ended;  // workers that have returned, or are about to
  std::size_t idle = 0;
  bool stopping = false;
  std::vector<std::thread> workers;  // of the watcher alone, while there is one
  std::thread watcher;

  // Runs callbacks of users.
  void make_requests() {
    Lock lock(mutex);
    while (true) {
      if (!requests.empty()) {
        std::stop_source stop = std::move(requests.front().stop);
        requests.pop_front();
        lock.unlock();
        stop.request_stop();
        lock.lock();
      } else if (stopping || idle > 0) {  // one that is there for the next request is enough
        ended.push_back(std::this_thread::get_id());
        watch.notify_one();
        return;
      } else {
        idle += 1;
        work.wait(lock, [this] { return stopping || !requests.empty(); });
        idle -= 1;
      }
    }
  }

  // Runs nothing of the users', so that it always has time for requests that wait.
  void watch_over(const std::shared_ptr<State>& self) {
    Lock lock(mutex);
    core::Time grown{};
    while (!stopping || !requests.empty()) {
      if (requests.empty()) {
        watch.wait(lock, [this] { return stopping || !requests.empty() || !ended.empty(); });
      } else if (const auto waited = boot_now() - std::max(requests.front().posted, grown);
                 waited < wait_max) {
        watch.wait_for(lock, wait_max - waited);
      } else {
        const std::size_t more = std::min(requests.size(), growth * workers.size());
        lock.unlock();
        add_workers(self, more);
        lock.lock();
        grown = boot_now();
      }
      const auto returned = std::exchange(ended, {});
      lock.unlock();
      join(returned);
      lock.lock();
    }
  }

  void add_workers(const std::shared_ptr<State>& self, std::size_t count) {
    try {
      for (; count > 0; --count) workers.emplace_back([self] { self->make_requests(); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
      // The machine has no thread left. This is tried again as long as somebody waits.
    }
  }

  void join(const std::vector<std::thread::id>& returned) {
    for (const auto id : returned) {
      const auto worker = std::ranges::find(workers, id, &std::thread::get_id);
      worker->join();
      workers.erase(worker);
    }
  }
};

StopRequester::StopRequester() : state_(std::make_shared<State>()) {
  State& state = *state_;
  state.workers.emplace_back([self = state_] { self->make_requests(); });
  try {
    state.watcher = std::thread([self = state_] { self->watch_over(self); });
  } catch (...) {
    {
      const std::lock_guard lock(state.mutex);
      state.stopping = true;
    }
    state.work.notify_all();
    state.workers.front().join();
    throw;
  }
}

StopRequester::~StopRequester() {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.stopping = true;
  }
  state.work.notify_all();
  state.watch.notify_all();
  state.watcher.join();
  for (auto& worker : state.workers) {
    // A callback of the user may drop the last handle of a client: a thread cannot wait for itself.
    if (worker.get_id() == std::this_thread::get_id()) {
      worker.detach();
    } else {
      worker.join();
    }
  }
}

void StopRequester::post(std::stop_source stop) {
  // A callback may let this go before the lines below are done.
  const auto state = state_;
  {
    const std::lock_guard lock(state->mutex);
    state->requests.push_back({std::move(stop), boot_now()});
  }
  state->work.notify_one();
  state->watch.notify_one();
}

}  // namespace tenure::runtime
