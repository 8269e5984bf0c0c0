// The whole client core under random answers, silence and late timers, over one node and over three; the
// scenarios tell single stories.
#include "core/lease/tenant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

// Answers as it likes, in the order of a connection, and watches what the core says about each lease.
class Weather {
 public:
  Weather(std::uint64_t seed, std::size_t nodes)
      : nodes_(nodes), chance_(seed), tenant_({.owner = "us", .nodes = nodes}, Random(seed + 1)) {}

  void step() {
    Actions actions;
    switch (chance_.below(9)) {
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
      case 5:
        signal();
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
    for (NodeIndex node = 0; node < nodes_; ++node) {
      Actions actions;
      tenant_.on_admitted({node}, {.terms = {60s}, .epoch = "last", .open = true, .longest = 60s}, now_);
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
    // The oldest of some node: a connection keeps its order, two do not.
    const NodeIndex node = std::next(open_.begin(), index(open_.size()))->node;
    const auto oldest = std::ranges::find(open_, node, &Send::node);
    const Send sent = std::move(*oldest);
    open_.erase(oldest);
    now_ += chance_.between(0s, 20ms);
    tenant_.on_reply(sent.id, reply_to(sent.request), now_, actions);
    // A connection may repeat itself only by mistake; the core must not care.
    if (chance_.below(10) == 0) tenant_.on_reply(sent.id, reply_to(sent.request), now_, actions);
  }

  Reply reply_to(const Request& request) {
    const auto kind = chance_.below(12);
    if (kind == 0) return failed(Applied::no, FailureCode::unreachable);
    if (kind == 1)
      return failed(Applied::perhaps, chance_.below(2) == 0 ? FailureCode::closed : FailureCode::server);
    if (kind == 2) return Granted{1};  // sometimes nonsense
    if (kind == 3) return NotOpen{chance_.below(2) == 0 ? FoundRecord{} : in_quarantine("e")};
    if (std::holds_alternative<ClockRequest>(request)) {
      if (chance_.below(50) == 0) ahead_ += 31s;
      return NodeClock{1000h + now_.time_since_epoch() + ahead_};
    }
    if (std::holds_alternative<OpenRequest>(request)) return Opened{};
    if (std::holds_alternative<AcquireRequest>(request)) {
      if (kind < 7) {
        return Held{{"web-3", 5}, Ttl(std::int64_t(chance_.below(2000))), static_cast<int>(chance_.below(3))};
      }
      return Granted{++token_};
    }
    std::size_t keys = 1;
    if (const auto* renew = std::get_if<RenewRequest>(&request)) keys = renew->items.size();
    if (const auto* reassert = std::get_if<ReassertRequest>(&request)) keys = reassert->items.size();
    KeyAnswers answers(keys, KeyAnswer::done);
    for (auto& it : answers) {
      if (chance_.below(10) == 0) it = chance_.below(2) == 0 ? KeyAnswer::missing : KeyAnswer::foreign;
    }
    return answers;
  }

  // What the driver tells of its connections, true or not.
  void signal() {
    const auto node = static_cast<NodeIndex>(chance_.below(nodes_));
    const auto kind = chance_.below(4);
    if (kind == 0) {
      tenant_.on_listening(node, chance_.below(3) != 0, now_);
    } else if (kind == 1) {
      const std::string epoch = "e" + std::to_string(chance_.below(3));
      tenant_.on_admitted(
          {node}, {.terms = {60s}, .epoch = epoch, .open = chance_.below(3) != 0, .longest = 60s}, now_);
    } else if (!tickets_.empty()) {
      const auto& [nonce, ticket] = *std::next(tickets_.begin(), index(tickets_.size()));
      tenant_.on_wake_up(node, ticket, chance_.below(2) == 0 ? 0ms : 250ms, now_);
    }
  }

  void take(const Actions& actions) {
    for (const Action& action : actions) std::visit([&](const auto& it) { on(it); }, action);
  }

  // A tenant by itself watches nothing, and knows of no elections.
  template <class Other>
  void on(const Other&) {
    ADD_FAILURE() << "a tenant says nothing like this";
  }

  void on(const Send& it) {
    EXPECT_LT(it.node, nodes_);
    open_.push_back(it);
    const auto* acquire = std::get_if<AcquireRequest>(&it.request);
    if (acquire != nullptr && acquire->ticket) tickets_.emplace(acquire->ticket->nonce(), *acquire->ticket);
  }
  // The connection is gone: what else was on it may have taken effect.
  void on(const Drop& it) {
    std::erase_if(open_, [&](const Send& sent) { return sent.id == it.id; });
  }
  void on(const Listen&) {}
  void on(const ClockJumped& it) { EXPECT_NE(it.by, 0s); }
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

  std::size_t nodes_;
  Random chance_;
  Tenant tenant_;
  Time now_{};
  Token token_ = 0;
  Duration ahead_{};                        // the nodes' clocks
  std::map<std::uint64_t, Grant> tickets_;  // by nonce
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
  for (std::uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Weather weather(seed, seed % 2 == 0 ? 3 : 1);
    for (int i = 0; i < 500; ++i) weather.step();
    weather.end();
    EXPECT_TRUE(weather.idle());
    acquired += weather.acquired();
    lost += weather.lost();
  }
  EXPECT_GT(acquired, 500U);
  EXPECT_GT(lost, 50U);
}

}  // namespace
}  // namespace tenure::core
