// How long somebody waits for all that a thread asks of servers, beside the timeout of every single call: until a time, or until
// another thread ends it. Whoever asks on several threads hands it on to them, as at_once() does.
#pragma once

#include <atomic>

#include "core/base/time.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::runtime {

class Hourglass {
 public:
  // It is over before it has begun.
  Hourglass() = default;
  explicit Hourglass(core::Time until) { begin(until); }

  void begin(core::Time until) { until_ = until.time_since_epoch().count(); }
  void end() { until_ = core::long_ago.time_since_epoch().count(); }
  bool is_over() const { return boot_now() >= core::Time(core::Duration(until_.load())); }

  // Of who waits for this thread; null: nobody in particular.
  static const Hourglass* here() { return here_; }
  static bool is_over_here() { return here_ != nullptr && here_->is_over(); }

  // Which of them counts on this thread for as long as this lives.
  class Scope {
   public:
    explicit Scope(const Hourglass* hourglass) : before_(here_) { here_ = hourglass; }
    ~Scope() { here_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Hourglass* before_;
  };

 private:
  std::atomic<core::Duration::rep> until_ = core::long_ago.time_since_epoch().count();
  static inline thread_local const Hourglass* here_ = nullptr;
};

}  // namespace tenure::runtime
