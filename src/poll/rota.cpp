#include "poll/rota.hpp"

#include <algorithm>

#include "core/base/check.hpp"

namespace tenure::poll {

namespace {

// Clocks that are slewed differ by less from one tick to the next.
constexpr core::Duration step_min = std::chrono::milliseconds(500);
// What could not begin is tried again after this, or a quarter of its interval.
constexpr Milliseconds retry_after{1'000};
// An abort is done so long before anybody else can own the session.
constexpr Milliseconds spare{50};

}  // namespace

Rota::Entry* Rota::find(const Tenancy& of) {
  const auto found = entries_.find(of.session);
  if (found == entries_.end() || found->second.gone || found->second.of.token != of.token) return nullptr;
  return &found->second;
}

void Rota::set_sessions(std::vector<Session> sessions, Now now) {
  sessions_.clear();
  for (auto& session : sessions) {
    std::string id = session.id;
    sessions_.emplace(std::move(id), std::move(session));
  }
  for (auto& [id, entry] : entries_) {
    const auto found = sessions_.find(id);
    auto session = found != sessions_.end() ? std::optional(found->second) : std::nullopt;
    if (session == entry.session) continue;
    entry.session = std::move(session);
    schedule(entry, now);
  }
}

void Rota::acquired(const Tenancy& of, Now now) {
  Entry& entry = entries_[of.session];
  unschedule(entry);
  forget_abort(entry);
  // A poll of an earlier tenancy may not have noticed yet: the first of this one waits for it.
  Entry fresh;
  fresh.of = of;
  fresh.poll = entry.poll;
  fresh.aborted = entry.aborted;
  if (const auto found = sessions_.find(of.session); found != sessions_.end()) fresh.session = found->second;
  entry = std::move(fresh);
  if (entry.poll && !entry.aborted) abort(entry, now.boot);
  actions_.emplace_back(ReadSlot{of});
}

void Rota::slot_read(const Tenancy& of, std::optional<WallTime> slot, Now now) {
  Entry* entry = find(of);
  if (entry == nullptr || entry->slot_known) return;
  entry->slot_known = true;
  entry->last = slot;
  schedule(*entry, now);
}

void Rota::uncertain(const Tenancy& of) {
  if (Entry* entry = find(of)) {
    entry->uncertain = true;
    unschedule(*entry);
  }
}

void Rota::certain(const Tenancy& of, Now now) {
  if (Entry* entry = find(of)) {
    entry->uncertain = false;
    schedule(*entry, now);
  }
}

void Rota::ending(const Tenancy& of, Ending how, Now now) {
  Entry* entry = find(of);
  if (entry == nullptr) return;
  // The worse of two reasons counts.
  if (entry->ending) how.drains = how.drains && entry->ending->drains;
  entry->ending = how;
  unschedule(*entry);
  forget_abort(*entry);
  const core::Time abort_at = how.drains ? how.deadline - options_.abort_takes - spare : now.boot;
  if (abort_at > now.boot) {
    entry->abort_at = abort_at;
    aborts_.emplace(abort_at, of.session);
  } else {
    entry->ending->drains = false;
    abort(*entry, how.deadline - spare);
  }
  settle(*entry);
}

void Rota::ended(const Tenancy& of, Now now) {
  Entry* entry = find(of);
  if (entry == nullptr) return;
  unschedule(*entry);
  forget_abort(*entry);
  if (!entry->poll) {
    entries_.erase(of.session);
    return;
  }
  entry->gone = true;
  abort(*entry, now.boot);
}

Rota::Polled Rota::poll_ended(PollId id, PollEnd::How how, bool ok, Now now) {
  const auto found = polls_.find(id);
  core::must(found != polls_.end(), "only a poll that has begun ends");
  Polled polled = std::move(found->second);
  polls_.erase(found);
  Entry& entry = entries_.at(polled.of.session);
  entry.poll.reset();
  entry.aborted = false;
  if (entry.gone) {
    entries_.erase(polled.of.session);
    return polled;
  }
  if (entry.of != polled.of) {
    schedule(entry, now);
    return polled;
  }
  if (how == PollEnd::How::finished) {
    entry.last = polled.slot;
    entry.failures = ok ? 0 : entry.failures + 1;
    entry.writing += 1;
    // Not by schedule(): what a long poll has missed is left out.
    if (waits(entry)) put(entry, after_poll(entry, now));
  } else if (waits(entry)) {
    const auto again = std::min(retry_after, std::max(entry.session->interval / 4, Milliseconds(1)));
    put(entry, {polled.slot, now.wall + again});
  }
  settle(entry);
  return polled;
}

void Rota::result_written(const Tenancy& of) {
  Entry* entry = find(of);
  if (entry == nullptr || entry->writing == 0) return;
  entry->writing -= 1;
  settle(*entry);
}

void Rota::stop() {
  stopping_ = true;
  for (auto& [id, entry] : entries_) unschedule(entry);
}

void Rota::tick(Now now) {
  notice_clock_set(now);
  while (!aborts_.empty() && aborts_.begin()->first <= now.boot) {
    Entry& entry = entries_.at(aborts_.begin()->second);
    forget_abort(entry);
    // Nor is its result waited for any longer.
    entry.ending->drains = false;
    abort(entry, entry.ending->deadline - spare);
    settle(entry);
  }
  while (polls_.size() < options_.in_flight_max && !due_.empty() && due_.begin()->first <= now.wall) {
    begin(entries_.at(due_.begin()->second), now);
  }
}

Rota::Wake Rota::wake() const {
  Wake wake;
  if (!aborts_.empty()) wake.boot = aborts_.begin()->first;
  if (!due_.empty() && polls_.size() < options_.in_flight_max) wake.wall = due_.begin()->first;
  return wake;
}

bool Rota::waits(const Entry& entry) const {
  return entry.session && entry.slot_known && !entry.uncertain && !entry.ending && !entry.gone &&
         !entry.poll && !stopping_;
}

void Rota::schedule(Entry& entry, Now now) {
  unschedule(entry);
  if (!waits(entry)) return;
  const Cadence cadence(entry.of.session, entry.session->interval);
  if (entry.last && *entry.last > now.wall + cadence.interval()) entry.last.reset();
  const bool failing = entry.last && entry.failures > 0;
  put(entry, failing ? after_poll(entry, now) : cadence.next(entry.last, now.wall));
}

Turn Rota::after_poll(const Entry& entry, Now now) const {
  const Cadence cadence(entry.of.session, entry.session->interval);
  return cadence.after_poll(*entry.last, now.wall, entry.failures, options_.backoff_max);
}

void Rota::put(Entry& entry, Turn turn) {
  entry.turn = turn;
  due_.emplace(turn.due, entry.of.session);
}

void Rota::unschedule(Entry& entry) {
  if (!entry.turn) return;
  due_.erase({entry.turn->due, entry.of.session});
  entry.turn.reset();
}

void Rota::begin(Entry& entry, Now now) {
  const Cadence cadence(entry.of.session, entry.session->interval);
  // Late by more than a slot, it counts for the one that it is made in.
  const WallTime slot = std::max(entry.turn->slot, cadence.slot_at(now.wall));
  const WallTime due = entry.turn->due;
  unschedule(entry);
  const auto id = static_cast<PollId>(++last_poll_);
  entry.poll = id;
  polls_.emplace(id, Polled{entry.of, slot});
  actions_.emplace_back(Begin{id, entry.of.token, *entry.session, due});
}

void Rota::abort(Entry& entry, core::Time by) {
  if (!entry.poll) return;
  entry.aborted = true;
  actions_.emplace_back(Abort{*entry.poll, by});
}

void Rota::forget_abort(Entry& entry) {
  if (!entry.abort_at) return;
  aborts_.erase({*entry.abort_at, entry.of.session});
  entry.abort_at.reset();
}

void Rota::settle(Entry& entry) {
  if (!entry.ending || entry.said_ended || entry.poll || (entry.ending->drains && entry.writing > 0)) return;
  entry.said_ended = true;
  forget_abort(entry);
  actions_.emplace_back(SayEnded{entry.of});
}

// Who sets the wall clock back by an hour must not silence polls for an hour.
void Rota::notice_clock_set(Now now) {
  const core::Duration apart = now.wall.time_since_epoch() - now.boot.time_since_epoch();
  const bool was_set = apart_ && std::chrono::abs(apart - *apart_) >= step_min;
  if (!apart_ || was_set) apart_ = apart;
  if (!was_set) return;
  for (auto& [id, entry] : entries_) {
    if (entry.turn) schedule(entry, now);
  }
}

}  // namespace tenure::poll
