// Does a loop of this process still turn? A loop says when it has something to do and when it waits again; one that has been at
// the same thing for too long is stuck. Who waits for ever is well.
#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "core/base/time.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::cli {

class Pulse {
 public:
  explicit Pulse(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  void begin() { since_ = runtime::boot_now().time_since_epoch().count(); }
  void end() { since_ = waits; }
  // How long it has been at it; nothing while it waits.
  std::optional<core::Duration> busy_for(core::Time now) const {
    const auto since = since_.load();
    if (since == waits) return std::nullopt;
    return now - core::Time(core::Duration(since));
  }

 private:
  static constexpr core::Duration::rep waits = -1;

  std::string name_;
  std::atomic<core::Duration::rep> since_ = waits;
};

// Of one thing that a loop does. Null: nobody watches it.
class Turn {
 public:
  explicit Turn(Pulse* pulse) : pulse_(pulse) {
    if (pulse_ != nullptr) pulse_->begin();
  }
  ~Turn() {
    if (pulse_ != nullptr) pulse_->end();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Pulse* pulse_;
};

// All loops that are watched; each must be added before the first look.
class Loops {
 public:
  // Stays where it is.
  Pulse& add(std::string name) { return pulses_.emplace_back(std::move(name)); }
  // A line for each that has been at it for so long; empty where all turn.
  std::string stuck(core::Time now, core::Duration limit) const;

 private:
  std::deque<Pulse> pulses_;
};

}  // namespace tenure::cli
