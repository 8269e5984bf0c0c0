// Polls by a callback of the application, on threads of its own.
#include <exception>
#include <mutex>
#include <stop_token>
#include <unordered_map>
#include <utility>

#include "poll/runner.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/callback_executor.hpp"
#include "runtime/engine/stop_requester.hpp"

namespace tenure::poll {

namespace {

class CallbackRunner : public Runner {
 public:
  CallbackRunner(CallbackPoll work, Done done)
      : work_(std::move(work)), done_(std::move(done)), threads_(work_.threads_max) {
    threads_.make_thread();
  }
  ~CallbackRunner() override {
    std::unordered_map<PollId, std::stop_source> stops;
    {
      const std::lock_guard lock(mutex_);
      stops = stops_;
    }
    for (auto& [id, stop] : stops) aborts_.post(stop);
  }

  std::size_t in_flight_max() const override { return work_.threads_max; }
  // As long as is fair to expect of somebody else's code.
  Milliseconds abort_takes() const override { return Milliseconds(1'000); }

  void begin(Task task) override {
    std::stop_source stop;
    {
      const std::lock_guard lock(mutex_);
      stops_.emplace(task.id, stop);
    }
    threads_.post(
        [this, task = std::move(task), token = stop.get_token()] {
          PollEnd end = run(task, token);
          {
            const std::lock_guard lock(mutex_);
            stops_.erase(task.id);
          }
          done_(task.id, std::move(end));
        },
        runtime::CallbackExecutor::Kind::must_arrive);
  }

  void abort(PollId id, core::Time /*by*/) override {
    std::stop_source stop(std::nostopstate);
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = stops_.find(id); found != stops_.end()) stop = found->second;
    }
    if (stop.stop_possible()) aborts_.post(std::move(stop));
  }

 private:
  PollEnd run(const Task& task, const std::stop_token& token) const {
    if (token.stop_requested()) return {PollEnd::How::aborted};
    if (!task.may_begin()) return {PollEnd::How::not_begun};
    const core::Time began = runtime::boot_now();
    PollEnd end{PollEnd::How::finished};
    try {
      end.outcome = work_.call(task.session, task.lease, token);
    } catch (const std::exception& error) {
      end.outcome = {.error = std::string("the callback threw: ") + error.what()};
    } catch (...) {
      end.outcome = {.error = "the callback threw"};
    }
    end.took = std::chrono::ceil<Milliseconds>(runtime::boot_now() - began);
    // What it says after it was told to stop is not what it would have said.
    if (token.stop_requested()) return {PollEnd::How::aborted, {}, end.took};
    if (!end.outcome.ok && end.outcome.error.empty()) end.outcome.error = "the poll failed";
    return end;
  }

  const CallbackPoll work_;
  const Done done_;
  std::mutex mutex_;
  std::unordered_map<PollId, std::stop_source> stops_;
  // Users may register callbacks with the token that a poll gets, and those may block.
  runtime::StopRequester aborts_;
  runtime::CallbackExecutor threads_;  // goes first, after all that was begun
};

}  // namespace

std::unique_ptr<Runner> make_runner(CallbackPoll work, Runner::Done done) {
  return std::make_unique<CallbackRunner>(std::move(work), std::move(done));
}

}  // namespace tenure::poll
