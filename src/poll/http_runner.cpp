// Polls by HTTP: all of them by one multi handle of libcurl, on one thread. Names are looked up on threads of libcurl.
#include <csignal>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "poll/runner.hpp"
#include "poll/transfer.hpp"

namespace tenure::poll {

namespace {

struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

CURLM* make_multi() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  return ready == CURLE_OK ? curl_multi_init() : nullptr;
}

class HttpRunner : public Runner {
 public:
  HttpRunner(HttpPoll work, Done done)
      : work_(std::move(work)), done_(std::move(done)), multi_(make_multi()) {
    if (!multi_) throw std::bad_alloc();
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(work_.in_flight_max));
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~HttpRunner() override {
    thread_.request_stop();
    curl_multi_wakeup(multi_.get());
    thread_.join();
  }

  std::size_t in_flight_max() const override { return work_.in_flight_max; }
  // A connection is closed at once; the thread may be busy for a moment.
  Milliseconds abort_takes() const override { return Milliseconds(200); }
  void begin(Task task) override { order(std::move(task)); }
  void abort(PollId id, core::Time /*by*/) override { order(id); }

 private:
  using Order = std::variant<Task, PollId>;

  void order(Order order) {
    {
      const std::lock_guard lock(mutex_);
      orders_.push_back(std::move(order));
    }
    curl_multi_wakeup(multi_.get());
  }

  void run(const std::stop_token& stop) {
    // A connection that breaks under TLS must not end the process, whatever the application does with signals.
    sigset_t broken_pipe{};
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    while (!stop.stop_requested()) {
      for (auto& order : take_orders()) {
        if (auto* task = std::get_if<Task>(&order)) {
          start(std::move(*task));
        } else if (const auto found = transfers_.find(std::get<PollId>(order)); found != transfers_.end()) {
          end(found->second, found->second->give_up(PollEnd::How::aborted));
        }
      }
      int running = 0;
      curl_multi_perform(multi_.get(), &running);
      reap();
      curl_multi_poll(multi_.get(), nullptr, 0, 1'000, nullptr);
    }
    while (!transfers_.empty()) {
      auto& transfer = transfers_.begin()->second;
      end(transfer, transfer->give_up(PollEnd::How::aborted));
    }
    for (auto& order : take_orders()) {
      if (const auto* task = std::get_if<Task>(&order)) done_(task->id, {PollEnd::How::aborted});
    }
  }

  std::vector<Order> take_orders() {
    const std::lock_guard lock(mutex_);
    return std::exchange(orders_, {});
  }

  void start(Task task) {
    Easy handle;
    if (idle_.empty()) {
      handle.reset(curl_easy_init());
      if (!handle) throw std::bad_alloc();
    } else {
      handle = std::move(idle_.back());
      idle_.pop_back();
    }
    const PollId id = task.id;
    auto transfer = std::make_unique<Transfer>(std::move(handle), std::move(task), work_);
    if (!transfer->may_begin()) {
      idle_.push_back(transfer->take_handle());
      done_(id, transfer->give_up(PollEnd::How::not_begun));
      return;
    }
    curl_multi_add_handle(multi_.get(), transfer->handle());
    transfers_.emplace(id, std::move(transfer));
  }

  void reap() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode result = message->data.result;
      Transfer* transfer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      auto& owned = transfers_.find(transfer->id())->second;
      end(owned, owned->finish(result));
    }
  }

  void end(std::unique_ptr<Transfer>& transfer, PollEnd how) {
    curl_multi_remove_handle(multi_.get(), transfer->handle());
    const PollId id = transfer->id();
    idle_.push_back(transfer->take_handle());
    transfers_.erase(id);
    done_(id, std::move(how));
  }

  const HttpPoll work_;
  const Done done_;
  const std::unique_ptr<CURLM, FreeMulti> multi_;
  std::mutex mutex_;
  std::vector<Order> orders_;
  // Of the thread alone. Handles go before the multi handle.
  std::vector<Easy> idle_;
  std::unordered_map<PollId, std::unique_ptr<Transfer>> transfers_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(HttpPoll work, Runner::Done done) {
  return std::make_unique<HttpRunner>(std::move(work), std::move(done));
}

}  // namespace tenure::poll
