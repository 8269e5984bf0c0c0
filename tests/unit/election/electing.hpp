// Elections over a tenant, as a driver runs them; for their tests. What was told reads as a story:
// {"elected 7", "leader us 7", "ending stopped", "over", "leader nobody", "stopped"}.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/agent.hpp"
#include "unit/core/machine.hpp"

namespace tenure::core {

using Told = std::vector<std::string>;

// Of 15 s: renewed within 5 s, tried on for 5 s, 2 s to drain. Over 13.498 s after the send that armed it.
inline ElectionPlan election_plan(const std::string& key = "key", ElectionOptions options = {}) {
  return plan_election(key, options).value();
}
inline ElectionPlan observer_plan(const std::string& key = "key") {
  ElectionPlan plan = election_plan(key);
  plan.candidate = false;
  return plan;
}

inline const KeyState by_nobody{};
inline KeyState led_by(const std::string& owner, Token token, Ttl left = 10s) {
  return {Holder{owner, token}, Grant(owner, 1), left};
}

struct Electing : testing::Test {
  std::optional<Agent> agent;
  Time now{};
  std::vector<Send> open{};  // what waits for an answer
  std::vector<std::string> told{};
  std::vector<TermEnding> endings{};
  std::vector<LeaderChanged> changes{};
  std::optional<Acquired> term{};                   // the last that was elected
  std::optional<KeyState> redis_shows = by_nobody;  // to whoever looks; nothing when Redis is silent

  Electing() { begin(1); }
  void begin(std::size_t nodes) { agent.emplace(Tenant::Config{.owner = "us", .nodes = nodes}, Random(1)); }
  const Tenant& tenant() const { return agent->tenant(); }
  const Elections& elections() const { return agent->elections(); }

  // What the driver does after every call.
  void settle();
  ElectionId start(ElectionPlan plan = election_plan()) {
    const ElectionId id = agent->start(std::move(plan), now);
    settle();
    return id;
  }
  void stop(ElectionId id) {
    agent->stop(id, now);
    settle();
  }
  void step_down(ElectionId id) {
    agent->step_down(id, now);
    settle();
  }
  void drained(ElectionId id, LeaseId lease) {
    agent->drained(id, lease, now);
    settle();
  }
  void drained(ElectionId id) { drained(id, term.value().lease); }
  void close() {
    agent->close_elections(now);
    settle();
  }
  std::optional<Time> wake() const { return agent->wake(); }
  void on_timer() {
    agent->on_timer(now);
    settle();
  }
  // The clock moves, and everything happens when it is due.
  void advance(Duration duration) {
    const Time until = now + duration;
    for (int calls = 0; wake().value_or(Time::max()) <= until; ++calls) {
      ASSERT_LT(calls, 10'000) << "the core wakes without end";
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

  template <class Kind>
  std::vector<Send> asked() const {
    auto found = open;
    std::erase_if(found, [](const Send& it) { return !std::holds_alternative<Kind>(it.request); });
    return found;
  }
  void reply(const Send& to, const Reply& reply);
  // To all that wait for such an answer; there must be some.
  template <class Kind>
  void reply(const Reply& answer) {
    const auto all = asked<Kind>();
    ASSERT_FALSE(all.empty()) << "nothing like this was asked";
    for (const Send& it : all) reply(it, answer);
  }
  ElectionId elect(Token token = 7, ElectionPlan plan = election_plan()) {
    const ElectionId id = start(std::move(plan));
    win(token);
    return id;
  }
  void win(Token token) { reply<AcquireRequest>(Granted{token}); }
  void renew() { reply<RenewRequest>(KeyAnswers{KeyAnswer::done}); }
  void give_back() { reply<ReleaseRequest>(KeyAnswers{KeyAnswer::done}); }

  // What was told since the last look.
  Told events() { return std::exchange(told, {}); }
  // The same without what is seen of leaders.
  Told own_events() {
    Told found = events();
    std::erase_if(found, [](const std::string& it) { return it.starts_with("leader "); });
    return found;
  }

  void on(const Send& it);
  void on(const Drop& it);
  void on(const Elected& it);
  void on(const TermEnding& it);
  void on(const TermOverran&);
  void on(const TermOver&);
  void on(const LeaderChanged& it);
  void on(const CampaignHindered& it);
  void on(const ElectionStopped&);
  // What happens to the lease of a term is also told as such.
  void on(const Renewed&);
  void on(const Uncertain&);
  void on(const Lost&);
  // These are the affair of the election alone.
  void on(const Acquired&);
  void on(const Refused&);
  void on(const Waiting&);
  void on(const Released&);
};

}  // namespace tenure::core
