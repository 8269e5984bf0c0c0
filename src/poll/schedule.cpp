#include "poll/schedule.hpp"

#include <algorithm>
#include <cstdint>

#include "core/base/check.hpp"

namespace tenure::poll {

namespace {

// FNV-1a, and a finalizer: without it ids that differ only at their end lie side by side.
std::uint64_t hash(std::string_view text) {
  std::uint64_t bits = 0xcbf29ce484222325U;
  for (const char letter : text) bits = (bits ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

Milliseconds phase_of(std::string_view session, Milliseconds interval) {
  core::must(interval > Milliseconds::zero(), "a session has an interval");
  return Milliseconds(hash(session) % static_cast<std::uint64_t>(interval.count()));
}

}  // namespace

Cadence::Cadence(std::string_view session, Milliseconds interval)
    : interval_(interval), phase_(phase_of(session, interval)) {}

WallTime Cadence::slot_at(WallTime time) const {
  const Milliseconds since = time.time_since_epoch() - phase_;
  // Towards the past, also before 1970: a clock that was never set is no reason to fail.
  Milliseconds into = since % interval_;
  if (into < Milliseconds::zero()) into += interval_;
  return time - into;
}

Turn Cadence::first(WallTime now) const {
  // Soon, but not all that came together at once.
  const WallTime due = now + phase_ % std::max(interval_ / 4, Milliseconds(1));
  // The nearer of the two slots, so that the second poll does not follow at once.
  return {slot_at(due + interval_ / 2), due};
}

Turn Cadence::next(std::optional<WallTime> last, WallTime now) const {
  // What lies further ahead than clocks differ was written by one that has been set back since.
  if (!last || *last > now + interval_) return first(now);
  const WallTime slot = std::max(slot_at(now), after(*last));
  return {slot, slot};
}

Turn Cadence::after_poll(WallTime slot, WallTime now, unsigned failures, Milliseconds backoff_max) const {
  Milliseconds wait = interval_;
  for (; failures > 0 && wait < backoff_max; --failures) wait = std::min(2 * wait, backoff_max);
  // What a long poll has missed is left out.
  const WallTime due = std::max(slot_at(slot + wait), after(now));
  return {due, due};
}

}  // namespace tenure::poll
