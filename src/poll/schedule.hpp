// When a session is due: slots on the wall clock, the same for every instance, so that a new owner goes on where the
// old one ended. Pure: time comes as an argument. Nothing about ownership is decided by this clock.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tenure::poll {

using Milliseconds = std::chrono::milliseconds;
using WallTime = std::chrono::sys_time<Milliseconds>;

// One poll to come: for which slot, by the time it begins, and when.
struct Turn {
  WallTime slot{};
  WallTime due{};

  bool operator==(const Turn&) const = default;
};

class Cadence {
 public:
  // The interval is at least a millisecond. Sessions of one interval are spread over it by their ids.
  Cadence(std::string_view session, Milliseconds interval);

  Milliseconds interval() const { return interval_; }
  // When the slot began that this is in.
  WallTime slot_at(WallTime time) const;
  // When the first slot begins after this.
  WallTime after(WallTime time) const { return slot_at(time) + interval_; }

  // For one that becomes ours, whose last poll was for that slot. What nobody polled in the current slot is due now: late,
  // not left out. What was polled in it is due in the next: never twice.
  Turn next(std::optional<WallTime> last, WallTime now) const;
  // After a poll for that slot, which was so many failures in a row.
  Turn after_poll(WallTime slot, WallTime now, unsigned failures, Milliseconds backoff_max) const;

 private:
  Turn first(WallTime now) const;

  Milliseconds interval_;
  Milliseconds phase_;
};

}  // namespace tenure::poll
