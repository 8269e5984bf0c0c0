// An answer that takes its time, as from a store: made on a thread of its own, one at a time, and served for a while to everybody
// who asks. So a store that hangs holds up neither the server nor other paths, and many viewers cost it no more than one.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/time.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/hourglass.hpp"

namespace tenure::http {

struct Freshness {
  core::Duration at_least{};  // an answer is served for so long
  // And for so many times as long as it took to make, the shorter of the last two times: what is expensive is made less often, but
  // not because this machine was busy once. Not so if it failed.
  int times_its_making = 0;
  core::Duration at_most = std::chrono::seconds(30);
  // While the next answer is made, the last one is served, if it is not older than at_most: nobody waits for what is expensive.
  bool serves_last = false;
};

// Work on threads of its own, which must be over before a process may be forked or ends. Neither is called while another thread
// asks for answers.
class Looks {
 public:
  virtual ~Looks() = default;
  // What is under way comes to nothing, soon.
  virtual void give_up() = 0;
  // Returns when no thread is left.
  virtual void rest() = 0;
};

// A Value can be copied. One that has failed() is served no longer than it must be.
template <class Value>
class Cached : public Looks {
 public:
  // The work may block, but must heed the hourglass of its thread: give_up() ends it. What it throws comes out of get().
  Cached(std::function<Value()> work, Freshness freshness) : work_(std::move(work)), freshness_(freshness) {}
  ~Cached() override {
    Cached::give_up();
    Cached::rest();
  }
  Cached(const Cached&) = delete;
  Cached& operator=(const Cached&) = delete;

  // The answer while it is fresh, or may be served all the same; otherwise nullopt. The work is under way if it is not fresh. Never
  // blocks.
  std::optional<Value> get() {
    const std::lock_guard lock(mutex_);
    if (runtime::boot_now() < stale_at_) {
      if (failure_) std::rethrow_exception(failure_);
      return value_;
    }
    if (working_) return last();
    if (thread_.joinable()) thread_.join();  // it has done its work, and ends
    given_up_ = false;
    hourglass_.begin(runtime::boot_now() + work_max);
    thread_ = std::thread([this] { refresh(); });
    working_ = true;
    return last();
  }

  bool is_working() const {
    const std::lock_guard lock(mutex_);
    return working_;
  }
  bool is_fresh() const {
    const std::lock_guard lock(mutex_);
    return runtime::boot_now() < stale_at_;
  }

  void give_up() override {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    hourglass_.end();
  }
  // get() may be called again afterwards.
  void rest() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  // However many servers are asked however many things.
  static constexpr core::Duration work_max = std::chrono::seconds(30);

  static bool failed(const Value& value) {
    if constexpr (requires { value.failed(); }) {
      return value.failed();
    } else if constexpr (requires { value.has_value(); }) {
      return !value.has_value();
    } else {
      return false;
    }
  }

  // The mutex is held.
  std::optional<Value> last() const {
    const bool serves = freshness_.serves_last && runtime::boot_now() < made_at_ + freshness_.at_most;
    return serves ? value_ : std::nullopt;
  }

  void refresh() {
    const core::Time began = runtime::boot_now();
    std::optional<Value> value;
    std::exception_ptr failure;
    try {
      const runtime::Hourglass::Scope scope(&hourglass_);
      value = work_();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    working_ = false;
    if (given_up_) return;
    const core::Time now = runtime::boot_now();
    core::Duration kept = freshness_.at_least;
    const core::Duration took = std::min(now - began, std::exchange(took_before_, now - began));
    if (value && !failed(*value)) kept = std::max(kept, took * freshness_.times_its_making);
    made_at_ = now;
    stale_at_ = now + std::min(kept, freshness_.at_most);
    value_ = std::move(value);
    failure_ = failure;
  }

  std::function<Value()> work_;
  Freshness freshness_;
  mutable std::mutex mutex_{};
  bool working_ = false;
  bool given_up_ = false;
  runtime::Hourglass hourglass_{};
  core::Duration took_before_ = core::Duration::max();
  core::Time made_at_ = core::long_ago;
  core::Time stale_at_ = core::long_ago;
  std::optional<Value> value_{};
  std::exception_ptr failure_{};
  std::thread thread_{};
};

}  // namespace tenure::http
