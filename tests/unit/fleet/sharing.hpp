// A fleet over a tenant, as a driver runs it, and a Redis that answers at once; for its tests. What was told reads as a
// story: {"joined", "instances +us", "took s1", "ending s1 rebalance", "ended s1", "stopped"}.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/agent.hpp"
#include "core/base/overload.hpp"
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
  std::vector<Send> open{};              // not answered yet
  std::map<std::string, Sight> redis{};  // what it shows, by key
  std::vector<Member> others{};          // who live beside us
  std::uint64_t version = 0;             // of the sessions
  std::optional<Reply> beat_answer{};    // in place of who lives
  bool silent = false;                   // Redis answers nothing
  bool grants = true;                    // it answers who asks for leases, or gives them back
  std::string closed{};                  // the record that it answers them with instead
  bool listens = false;
  Token last_token = 100;
  std::vector<BeatRequest> beats{};
  std::vector<std::string> looked_at{};  // the keys, last
  std::vector<std::string> told{};
  std::map<std::string, Acquired> ours{};  // by session
  std::vector<SessionEnding> endings{};
  std::optional<Time> opens_by{};  // as was last said

  // The driver's calls.
  void start() {
    call([&] { agent.join(plan, now); });
  }
  void share(const Sessions& all) {
    call([&] { agent.share(all, now); });
  }
  void stop() {
    call([&] { agent.leave(now); });
  }
  void close() {
    call([&] { agent.close_fleet(now); });
  }
  void take(const std::string& session) {
    call([&] { agent.take_session(session, now); });
  }
  bool give_back(const std::string& session) {
    bool ours_to_give = false;
    call([&] { ours_to_give = agent.give_back(session, now); });
    return ours_to_give;
  }
  void drained(const std::string& session) {
    call([&] { agent.session_drained(ours.at(session).lease, now); });
  }
  void hear(const std::string& message) {
    call([&] { agent.on_change(message, now); });
  }
  void on_timer() {
    call([&] { agent.on_timer(now); });
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
  // What Redis shows.
  void held_by(const std::string& owner, const std::string& session, std::int64_t waiters = 0) {
    redis["poll:lease:" + session] = {Grant(owner, 1).value(++last_token), 20s, waiters};
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
  template <class Call>
  void call(Call&& what) {
    what();
    for (;;) {
      for (Outcome outcome = agent.take(); !outcome.empty(); outcome = agent.take()) {
        for (const Notice& notice : outcome.notices) {
          std::visit(Overload{[&](const FleetNotice& it) { std::visit([&](const auto& of) { on(of); }, it); },
                              [](const LeaseNotice&) {},  // is told by what its session goes through
                              [&](const auto&) { told.emplace_back("what is no fleet's"); }},
                     notice);
        }
        perform(outcome.effects);
      }
      const auto next = std::ranges::find_if(open, [this](const Send& it) { return answers(it.request); });
      if (next == open.end()) return;
      const Send sent = *next;
      open.erase(next);
      agent.on_reply(sent.id, std::visit([this](const auto& it) { return this->answer(it); }, sent.request),
                     now);
    }
  }
  void perform(Effects& effects) {
    for (const Drop& drop : effects.drops) {
      std::erase_if(open, [&](const Send& sent) { return sent.id == drop.id; });
    }
    std::ranges::move(effects.sends, std::back_inserter(open));
    if (effects.listen && !std::exchange(listens, true)) agent.on_listening(0, true, now);
  }

  bool answers(const Request& request) const {
    if (std::holds_alternative<ClockRequest>(request)) return true;
    // One request after the other.
    const bool of_lease =
        std::holds_alternative<AcquireRequest>(request) || std::holds_alternative<ReleaseRequest>(request);
    return !silent && (grants || !of_lease);
  }
  Reply answer(const BeatRequest& it) {
    beats.push_back(it);
    if (beat_answer) return *beat_answer;
    LiveMembers live{others, version};
    if (it.ttl > 0s) live.members.push_back(member(it.id, it.beat.owned));
    std::ranges::sort(live.members, {}, &Member::id);
    return live;
  }
  Reply answer(const LookRequest& it) {
    looked_at = it.keys;
    Sights sights;
    for (const std::string& key : it.keys) sights.push_back(redis.contains(key) ? redis.at(key) : Sight{});
    return sights;
  }
  Reply answer(const AcquireRequest& it) {
    if (!closed.empty()) return NotOpen{closed};
    const auto found = redis.find(it.key);
    if (found != redis.end() && !found->second.value.starts_with(it.grant.stamp())) {
      if (it.ticket) found->second.waiters = std::max<std::int64_t>(found->second.waiters, 1);
      return Held{read_holder(found->second.value), found->second.left,
                  it.ticket ? std::optional(0) : std::nullopt};
    }
    redis[it.key] = {it.grant.value(++last_token), 30s};
    return Granted{last_token};
  }
  Reply answer(const RenewRequest& it) {
    KeyAnswers answers;
    for (const Holding& item : it.items) {
      const auto found = redis.find(item.key);
      answers.push_back(found == redis.end()                                  ? KeyAnswer::missing
                        : found->second.value == item.grant.value(item.token) ? KeyAnswer::done
                                                                              : KeyAnswer::foreign);
    }
    return answers;
  }
  Reply answer(const ReleaseRequest& it) {
    const auto found = redis.find(it.key);
    if (found == redis.end()) return KeyAnswers{KeyAnswer::missing};
    if (it.ticket) found->second.waiters = 0;
    if (!found->second.value.starts_with(it.grant.stamp())) return KeyAnswers{KeyAnswer::foreign};
    redis.erase(found);
    return KeyAnswers{KeyAnswer::done};
  }
  Reply answer(const ReassertRequest& it) { return KeyAnswers(it.items.size(), KeyAnswer::missing); }
  Reply answer(const ClockRequest&) { return NodeClock{1000h + now.time_since_epoch()}; }
  Reply answer(const ConfirmRequest&) { return KeyAnswers{KeyAnswer::done}; }
  Reply answer(const OpenRequest&) {
    closed.clear();
    return Opened{};
  }

  void on(const SessionTaken& it) {
    ours[it.session] = it.lease;
    told.push_back("took " + it.session);
  }
  void on(const SessionRefused& it) { told.push_back("did not get " + it.session); }
  void on(const SessionEnding& it) {
    static constexpr std::array reasons{"rebalance",   "removed", "given_back", "stopped",
                                        "not_renewed", "missing", "taken",      "closed"};
    endings.push_back(it);
    told.push_back("ending " + it.session + " " + reasons.at(static_cast<std::size_t>(it.reason)));
  }
  void on(const SessionEnded& it) {
    ours.erase(it.session);
    told.push_back("ended " + it.session);
  }
  void on(const InstancesChanged& it) {
    std::string text = "instances";
    for (const std::string& id : it.joined) text += " +" + id;
    for (const std::string& id : it.left) text += " -" + id;
    told.push_back(text);
  }
  void on(const SessionsChanged&) { told.emplace_back("sessions changed"); }
  void on(const FleetJoined&) { told.emplace_back("joined"); }
  void on(const FleetHindered&) { told.emplace_back("hindered"); }
  void on(const FleetNotOpen& it) {
    told.emplace_back("not open");
    opens_by = it.opens_by;
  }
  void on(const FleetOpen&) { told.emplace_back("open"); }
  void on(const FleetRefused&) { told.emplace_back("refused"); }
  void on(const FleetStopped&) { told.emplace_back("stopped"); }
};

}  // namespace tenure::core
