// A fleet over a tenant, as a driver runs it, and a Redis that answers at once; for its tests. What was told reads as a
// story: {"joined", "instances +us", "took s1", "ending s1 rebalance", "ended s1", "stopped"}.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/agent.hpp"
#include "unit/core/machine.hpp"

namespace tenure::core {

using Told = std::vector<std::string>;
using Sessions = std::vector<std::string>;

inline Member member(std::string id, std::uint64_t owned = 0, Ttl left = 30s) {
  return {std::move(id), 1, owned, left};
}

// s1 to so many.
inline Sessions sessions(int count) {
  Sessions all;
  for (int i = 1; i <= count; ++i) all.push_back("s" + std::to_string(i));
  return all;
}

// Leases of 30 s, held for 26.998 s after the send that armed them; beats every 9 to 10 s.
struct Sharing : testing::Test {
  Agent agent{{.owner = "us"}, Random(1)};
  FleetPlan plan{.prefix = "poll:", .timing = timing_of({.ttl = 30s}), .boot = "boot"};
  Time now{};
  std::vector<Send> open{};                 // not answered yet
  std::map<std::string, KeyState> redis{};  // what it shows, by key
  std::vector<Member> others{};             // who live beside us
  std::uint64_t version = 0;                // of the sessions
  std::optional<Reply> beat_answer{};       // in place of who lives
  bool silent = false;                      // Redis answers nothing
  bool gives_lists = true;                  // it answers who asks for lists
  bool grants = true;                       // it answers who asks for leases, or gives them back
  FoundRecord closed{};                     // the record that it answers them with instead
  bool listens = false;
  Token last_token = 100;
  std::vector<BeatRequest> beats{};
  std::map<std::string, Sessions> lists{};  // of others, by id: what they say that they own
  std::vector<std::string> lists_read{};    // the ids, last
  std::vector<std::string> looked_at{};     // the keys, last
  std::vector<std::string> told{};
  std::map<std::string, Acquired> ours{};  // by session
  std::vector<SessionEnding> endings{};
  std::optional<Time> opens_by{};  // as was last said

  // The driver's calls.
  void start() {
    agent.join(plan, now);
    drive();
  }
  void share(const Sessions& all) {
    agent.share(all, now);
    drive();
  }
  void stop() {
    agent.leave(now);
    drive();
  }
  void close() {
    agent.close_fleet(now);
    drive();
  }
  void take(const std::string& session) {
    agent.take_session(session, now);
    drive();
  }
  bool give_back(const std::string& session) {
    const bool ours_to_give = agent.give_back(session, now);
    drive();
    return ours_to_give;
  }
  void drained(const std::string& session) {
    agent.session_drained(ours.at(session).lease, now);
    drive();
  }
  void hear(FleetChange change) {
    agent.on_change(change, now);
    drive();
  }
  void on_timer() {
    agent.on_timer(now);
    drive();
  }
  std::optional<Time> wake() const { return agent.wake(); }
  // The clock moves, and everything happens when it is due.
  void advance(Duration duration) {
    const Time until = now + duration;
    for (int calls = 0; wake().value_or(Time::max()) <= until; ++calls) {
      ASSERT_LT(calls, 100'000) << "the core wakes without end";
      now = std::max(now, *wake());
      on_timer();
    }
    now = until;
  }
  // The process stood still.
  void jump(Duration duration) {
    now += duration;
    on_timer();
  }
  // Long enough for members and sessions to settle.
  void settle() { advance(500ms); }

  // In a fleet with these others, and with these sessions, and settled.
  void begin(std::vector<Member> beside, const Sessions& all) {
    others = std::move(beside);
    start();
    share(all);
    settle();
  }
  // Another instance, which says what it owns.
  Member says(const std::string& id, const Sessions& owned) {
    Tally tally;
    for (const std::string& session : owned) tally.add(session_hash(session));
    lists[id] = owned;
    return {id, 1, tally.count, 30s, tally.digest};
  }
  // What Redis shows.
  void held_by(const std::string& owner, const std::string& session, std::int64_t waiters = 0) {
    redis["poll:lease:" + session] = {Holder{owner, ++last_token}, Grant(owner, 1), 20s, waiters};
  }
  void waited_for(const std::string& session, std::int64_t waiters = 1) {
    redis.at("poll:lease:" + session).waiters = waiters;
  }
  bool is_held(const std::string& session) const { return redis.contains("poll:lease:" + session); }
  // What other instances hear of us.
  std::uint64_t owned_as_told() {
    advance(11s);
    return beats.back().beat.owned;
  }
  Sessions owned() const {
    Sessions all;
    for (const auto& [session, lease] : ours) all.push_back(session);
    return all;
  }
  template <class Kind>
  std::vector<Send> asked() const {
    auto found = open;
    std::erase_if(found, [](const Send& it) { return !std::holds_alternative<Kind>(it.request); });
    return found;
  }
  // What was told since the last look.
  Told events() { return std::exchange(told, {}); }

 private:
  // What the driver does after every call.
  void drive();
  void perform(Effects& effects);
  bool answers(const Request& request) const;
  Reply answer(const BeatRequest& it);
  Reply answer(const LookRequest& it);
  Reply answer(const ListsRequest& it);
  Reply answer(const AcquireRequest& it);
  Reply answer(const RenewRequest& it);
  Reply answer(const ReleaseRequest& it);
  Reply answer(const ReassertRequest& it);
  Reply answer(const ClockRequest&);
  Reply answer(const ConfirmRequest&);
  Reply answer(const OpenRequest&);
  void on(const SessionTaken& it);
  void on(const SessionRefused& it);
  void on(const SessionEnding& it);
  void on(const SessionEnded& it);
  void on(const InstancesChanged& it);
  void on(const SessionsChanged&);
  void on(const FleetJoined&);
  void on(const FleetHindered&);
  void on(const FleetNotOpen& it);
  void on(const FleetOpen&);
  void on(const FleetRefused&);
  void on(const FleetStopped&);
};

}  // namespace tenure::core
