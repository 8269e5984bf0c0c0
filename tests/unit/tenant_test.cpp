// The whole client core under random answers, silence and late timers; the scenarios tell single stories.
#include "core/tenant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "machine.hpp"

namespace tenure::core {
namespace {

// Answers as it likes, in the order of a connection, and watches what the core says about each lease.
class Weather {
 public:
  explicit Weather(std::uint64_t seed) : chance_(seed), tenant_({.owner = "us"}, Random(seed + 1)) {}

  void step() {
    Actions actions;
    switch (chance_.below(8)) {
      case 0:
        acquire(actions);
        break;
      case 1:
        if (!wishes_.empty()) tenant_.cancel(*wishes_.begin(), now_, actions);
        break;
      case 2:
        if (!leases_.empty()) give_back(std::next(leases_.begin(), index(leases_.size()))->first, actions);
        break;
      case 3:
      case 4:
        pass_time(actions);
        break;
      default:
        answer(actions);
    }
    take(actions);
  }

  // No more wishes, and the handles are gone, also those that are being released.
  void end() {
    while (!wishes_.empty()) {
      Actions actions;
      tenant_.cancel(*wishes_.begin(), now_, actions);
      take(actions);
    }
    for (const auto& [id, lease] : std::exchange(leases_, {})) {
      Actions actions;
      tenant_.forget(id, now_, actions);
      take(actions);
    }
    for (int i = 0; i < 1000 && tenant_.wake(); ++i) {
      now_ = std::max(now_, *tenant_.wake());
      Actions actions;
      tenant_.on_timer(now_, actions);
      take(actions);
    }
    while (!open_.empty()) {
      Actions actions;
      answer(actions);
      take(actions);
    }
  }

  bool idle() const { return tenant_.idle() && !tenant_.wake() && wishes_.empty(); }
  std::size_t acquired() const { return acquired_; }
  std::size_t lost() const { return lost_; }

 private:
  struct Lease {
    Time deadline{};
    bool lost = false;
    bool releasing = false;
  };

  std::ptrdiff_t index(std::size_t size) { return static_cast<std::ptrdiff_t>(chance_.below(size)); }

  void acquire(Actions& actions) {
    Wish wish{.key = "k" + std::to_string(chance_.below(3)), .timing = timing_of()};
    const auto kind = chance_.below(3);
    if (kind == 1) wish.wait_max = 2s;
    if (kind == 2) wish.wait_max = std::nullopt;
    wishes_.insert(tenant_.acquire(std::move(wish), now_, actions));
  }

  void give_back(LeaseId id, Actions& actions) {
    if (leases_.at(id).releasing) return;
    if (chance_.below(4) == 0) {
      tenant_.forget(id, now_, actions);
      leases_.erase(id);
      return;
    }
    leases_.at(id).releasing = true;
    tenant_.release(id, now_, actions);
  }

  // Mostly to the next wake, now and then far beyond it: the process stood still.
  void pass_time(Actions& actions) {
    const auto wake = tenant_.wake();
    if (wake) now_ = std::max(now_, *wake);
    if (chance_.below(20) == 0) now_ += chance_.between(0s, 20s);
    if (chance_.below(20) != 0) tenant_.on_timer(now_, actions);
  }

  void answer(Actions& actions) {
    if (open_.empty()) return;
    const Send sent = open_.front();
    open_.erase(open_.begin());
    now_ += chance_.between(0s, 20ms);
    tenant_.on_reply(sent.id, reply_to(sent.request), now_, actions);
    // A connection may repeat itself only by mistake; the core must not care.
    if (chance_.below(10) == 0) tenant_.on_reply(sent.id, reply_to(sent.request), now_, actions);
  }

  Reply reply_to(const Request& request) {
    const auto kind = chance_.below(10);
    if (kind == 0) return failed(Applied::no, FailureCode::unreachable);
    if (kind == 1) return failed(Applied::perhaps);
    if (kind == 2) return Granted{1};  // sometimes nonsense
    if (std::holds_alternative<AcquireRequest>(request)) {
      if (kind < 6) return Held{{"web-3", 5}, Ttl(std::int64_t(chance_.below(2000)))};
      return Granted{++token_};
    }
    const auto* renew = std::get_if<RenewRequest>(&request);
    KeyAnswers answers(renew != nullptr ? renew->items.size() : 1, KeyAnswer::done);
    for (auto& it : answers) {
      if (chance_.below(10) == 0) it = chance_.below(2) == 0 ? KeyAnswer::missing : KeyAnswer::foreign;
    }
    return answers;
  }

  void take(const Actions& actions) {
    for (const Action& action : actions) std::visit([&](const auto& it) { on(it); }, action);
  }

  void on(const Send& it) { open_.push_back(it); }
  // The connection is gone: what else was on it may have taken effect.
  void on(const Drop& it) {
    std::erase_if(open_, [&](const Send& sent) { return sent.id == it.id; });
  }
  void on(const Waiting& it) { EXPECT_TRUE(wishes_.contains(it.acquire)); }
  void on(const Acquired& it) {
    EXPECT_EQ(wishes_.erase(it.acquire), 1U) << "an acquisition ends once";
    EXPECT_LT(now_, it.deadline);
    leases_[it.lease] = {it.deadline};
    acquired_ += 1;
  }
  void on(const Refused& it) { EXPECT_EQ(wishes_.erase(it.acquire), 1U) << "an acquisition ends once"; }
  void on(const Renewed& it) {
    if (!leases_.contains(it.lease)) return;
    Lease& lease = leases_.at(it.lease);
    EXPECT_FALSE(lease.lost || lease.releasing);
    EXPECT_LT(now_, lease.deadline) << "S6: it was not held any more";
    EXPECT_GT(it.deadline, lease.deadline);
    lease.deadline = it.deadline;
  }
  void on(const Uncertain& it) { EXPECT_FALSE(leases_.at(it.lease).lost); }
  void on(const Lost& it) {
    Lease& lease = leases_.at(it.lease);
    EXPECT_FALSE(lease.lost) << "a loss is told once";
    EXPECT_LE(it.deadline, lease.deadline);
    lease.lost = true;
    lost_ += 1;
  }
  void on(const Released& it) {
    const auto found = leases_.find(it.lease);
    if (found == leases_.end()) return;
    EXPECT_TRUE(found->second.releasing);
    found->second.releasing = false;
    if (it.outcome != ReleaseOutcome::failed) leases_.erase(found);
  }

  Random chance_;
  Tenant tenant_;
  Time now_{};
  Token token_ = 0;
  std::vector<Send> open_;
  std::set<AcquireId> wishes_;
  std::map<LeaseId, Lease> leases_;
  std::size_t acquired_ = 0;
  std::size_t lost_ = 0;
};

// S6, T16, L9
TEST(Tenant, WhateverHappensEveryWishEndsOnceNothingLostReturnsAndNothingStays) {
  std::size_t acquired = 0;
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Weather weather(seed);
    for (int i = 0; i < 500; ++i) weather.step();
    weather.end();
    EXPECT_TRUE(weather.idle());
    acquired += weather.acquired();
    lost += weather.lost();
  }
  EXPECT_GT(acquired, 500U);
  EXPECT_GT(lost, 50U);
}

// A Drop closes a connection: what is sent in the same breath must go over the next one.
TEST(Tenant, WhatTimedOutIsDroppedBeforeAnythingIsSent) {
  Tenant tenant({.owner = "us"}, Random(1));
  Actions actions;
  tenant.acquire({.key = "held", .timing = timing_of()}, at(0s), actions);
  tenant.on_reply(std::get<Send>(actions.at(0)).id, Granted{7}, at(0s), actions);
  tenant.acquire({.key = "silent", .timing = timing_of()}, at(2900ms), actions);
  actions.clear();

  tenant.on_timer(at(4s), actions);  // late: the renewal is due, and the other request has timed out
  ASSERT_GE(actions.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Drop>(actions[0]));
  EXPECT_TRUE(std::ranges::any_of(actions, [](const Action& action) {
    const auto* send = std::get_if<Send>(&action);
    return send != nullptr && std::holds_alternative<RenewRequest>(send->request);
  }));
}

// S14
TEST(Tenant, TheSameSeedSendsTheSameRequests) {
  const auto stamp = [](std::uint64_t seed) {
    Tenant tenant({.owner = "us"}, Random(seed));
    Actions actions;
    tenant.acquire({.key = "a", .timing = timing_of()}, at(0s), actions);
    return std::get<AcquireRequest>(std::get<Send>(actions.at(0)).request).grant.stamp();
  };
  EXPECT_EQ(stamp(1), stamp(1));
  EXPECT_NE(stamp(1), stamp(2));
}

}  // namespace
}  // namespace tenure::core
