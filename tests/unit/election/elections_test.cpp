// Many elections over one tenant under random answers, silence and late timers; single stories are told in
// election_test.cpp and in the scenarios.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "core/base/overload.hpp"
#include "unit/election/electing.hpp"

namespace tenure::core {
namespace {

// Answers as it likes, in the order of a connection; its work drains when it likes. It watches that each election
// goes through its terms in order.
class Campaigns {
 public:
  struct Kind {
    std::size_t nodes = 1;
    bool punctual = true;  // every timer is called when it is due
  };

  Campaigns(std::uint64_t seed, Kind kind)
      : kind_(kind), chance_(seed), agent_({.owner = "us", .nodes = kind.nodes}, Random(seed + 1)) {}

  void step() {
    switch (chance_.below(24)) {
      case 0:
        if (known_.size() < 6) start();
        break;
      case 1:
        if (chance_.below(4) == 0) with_one([&](ElectionId id) { agent_.stop(id, now_); });
        break;
      case 2:
        with_one([&](ElectionId id) { agent_.step_down(id, now_); });
        break;
      case 3:
        with_one([&](ElectionId id) { drained_at_random(id); });
        break;
      case 4:
      case 5:
        if (!draining_.empty()) drain_one();
        break;
      case 6:
      case 7:
      case 8:
        pass_time();
        break;
      case 9:
        agent_.on_listening(static_cast<NodeIndex>(chance_.below(kind_.nodes)), chance_.below(2) == 0, now_);
        break;
      default:
        answer();
    }
    if (chance_.below(4) != 0) settle();  // else more happens before anybody looks
  }

  // All are stopped or closed, drain, and give back.
  void end() {
    const bool closes = chance_.below(2) == 0;
    if (closes) agent_.close_elections(now_);
    for (const auto& [id, it] : Known(known_)) agent_.stop(id, now_);
    settle();
    EXPECT_TRUE(!closes || agent_.elections().empty());
    while (!draining_.empty()) {
      drain_one();
      settle();
    }
    for (int i = 0; i < 2000 && wake(); ++i) {
      now_ = std::max(now_, *wake());
      on_timer();
    }
    while (!open_.empty()) {  // questions for the time are never withdrawn
      answer();
      settle();
    }
    EXPECT_TRUE(agent_.idle());
    EXPECT_TRUE(known_.empty()) << "every election stops";
    EXPECT_FALSE(agent_.elections().campaigning());
    EXPECT_FALSE(wake());
  }

  std::map<std::string, std::size_t> count{};  // what was told

 private:
  enum class Phase { waiting, leading, ending, overran };
  struct Candidate {
    bool observes = false;
    bool told_of_leader = false;
    Phase phase = Phase::waiting;
    LeaseId term{};
    Time deadline{};
    Token token = 0;
    std::optional<Holder> leader{};
    std::vector<LeaseId> past{};
  };
  using Known = std::map<ElectionId, Candidate>;

  template <class Do>
  void with_one(Do&& what) {
    if (!known_.empty()) what(pick()->first);
  }
  Known::iterator pick() {
    return std::next(known_.begin(), static_cast<std::ptrdiff_t>(chance_.below(known_.size())));
  }

  void start() {
    ElectionPlan plan = election_plan("k" + std::to_string(chance_.below(3)));
    plan.candidate = chance_.below(5) != 0;
    const bool observes = !plan.candidate;
    known_[agent_.start(std::move(plan), now_)].observes = observes;
  }

  // Of a term that is long over, or of one that does not end yet: both mean nothing.
  void drained_at_random(ElectionId id) {
    const Candidate& it = known_.at(id);
    if (it.phase == Phase::leading) agent_.drained(id, it.term, now_);
    if (!it.past.empty()) {
      agent_.drained(id, it.past[chance_.below(it.past.size())], now_);
    }
  }
  void drain_one() {
    const auto it = draining_.begin() + static_cast<std::ptrdiff_t>(chance_.below(draining_.size()));
    const auto [id, term] = *it;
    draining_.erase(it);
    agent_.drained(id, term, now_);
  }

  std::optional<Time> wake() const { return agent_.wake(); }
  void on_timer() {
    agent_.on_timer(now_);
    settle();
  }
  // The process may stand still for a while, but a punctual one hears every timer on time.
  void pass(Duration duration) {
    settle();
    const Time until = now_ + duration;
    while (kind_.punctual && wake() && *wake() <= until) {
      now_ = std::max(now_, *wake());
      on_timer();
    }
    now_ = until;
  }
  void pass_time() {
    pass(chance_.between(0s, 300ms));
    if (!kind_.punctual && chance_.below(20) == 0) now_ += chance_.between(0s, 30s);
    if (kind_.punctual || chance_.below(4) != 0) on_timer();
  }

  void answer() {
    if (open_.empty()) return;
    const NodeIndex node = open_[chance_.below(open_.size())].node;
    const auto oldest = std::ranges::find(open_, node, &Send::node);
    const Send sent = std::move(*oldest);
    pass(chance_.between(0s, 5ms));
    if (std::erase_if(open_, [&](const Send& it) { return it.id == sent.id; }) == 0)
      return;  // dropped meanwhile
    agent_.on_reply(sent.id, reply_to(sent.request), now_);
  }

  Reply reply_to(const Request& request) {
    const auto kind = chance_.below(14);
    if (std::holds_alternative<ClockRequest>(request)) return NodeClock{1000h + now_.time_since_epoch()};
    if (kind == 0) return failed(Applied::no, FailureCode::unreachable);
    if (kind == 1) return failed(Applied::perhaps, FailureCode::closed);
    if (kind == 2) return Opened{};  // nonsense
    if (std::holds_alternative<AcquireRequest>(request)) {
      if (kind == 3) return NotOpen{chance_.below(2) == 0 ? FoundRecord{} : of_another_cap};
      if (kind < 6) return Held{{"web", 5}, Ttl(static_cast<std::int64_t>(chance_.below(2000))), 0};
      return Granted{++token_};
    }
    if (const auto* look = std::get_if<LookRequest>(&request)) {
      KeyStates states(look->keys.size());
      for (KeyState& it : states) {
        const auto dice = chance_.below(4);
        if (dice == 0) it = led_by("web", 1 + chance_.below(3));
        // What is left of any term that this process ever had.
        if (dice == 1 && last_token_ > 0) it = led_by("us", last_token_);
      }
      return states;
    }
    std::size_t keys = 1;
    if (const auto* renew = std::get_if<RenewRequest>(&request)) keys = renew->items.size();
    if (const auto* reassert = std::get_if<ReassertRequest>(&request)) keys = reassert->items.size();
    KeyAnswers answers(keys, KeyAnswer::done);
    for (auto& it : answers) {
      if (chance_.below(20) == 0) it = chance_.below(2) == 0 ? KeyAnswer::missing : KeyAnswer::foreign;
    }
    return answers;
  }

  void settle() {
    for (Outcome outcome = agent_.take(); !outcome.empty(); outcome = agent_.take()) {
      for (const Notice& notice : outcome.notices) {
        std::visit(
            Overload{[&](const ClockJumped& it) { on(it); },
                     [&](const auto& audience) { std::visit([&](const auto& it) { on(it); }, audience); }},
            notice);
      }
      for (const Drop& drop : outcome.effects.drops) {
        std::erase_if(open_, [&](const Send& sent) { return sent.id == drop.id; });
      }
      std::ranges::move(outcome.effects.sends, std::back_inserter(open_));
    }
  }

  // What is the affair of elections alone has been taken away by them.
  template <class Other>
  void on(const Other&) {
    ADD_FAILURE() << "this belongs to nobody";
  }
  void on(const Renewed& it) {
    for (auto& [id, candidate] : known_) {
      if (candidate.term != it.lease) continue;
      EXPECT_EQ(candidate.phase, Phase::leading) << "a term that ends is renewed no more";
      EXPECT_GT(it.deadline, now_);
      candidate.deadline = it.deadline;
    }
  }
  void on(const Uncertain&) {}
  void on(const Lost&) {}

  void on(const Elected& it) {
    count["elected"] += 1;
    Candidate& candidate = known_.at(it.election);
    EXPECT_EQ(candidate.phase, Phase::waiting) << "T52: a term begins after the one before it is over";
    EXPECT_FALSE(candidate.observes) << "T58";
    EXPECT_GT(it.term.token, candidate.token) << "S3";
    EXPECT_GT(it.term.deadline, now_);
    candidate.phase = Phase::leading;
    candidate.term = it.term.lease;
    candidate.token = last_token_ = it.term.token;
    candidate.deadline = it.term.deadline;
  }
  void on(const TermEnding& it) {
    count["ending"] += 1;
    Candidate& candidate = known_.at(it.election);
    EXPECT_EQ(candidate.phase, Phase::leading) << "T58: only what leads ends, and once";
    EXPECT_EQ(candidate.term, it.lease);
    EXPECT_LE(it.deadline, candidate.deadline);
    if (it.reason == LossReason::stopped || it.reason == LossReason::stepped_down) {
      EXPECT_EQ(it.deadline, candidate.deadline) << "what was promised is kept";
    }
    if (kind_.punctual && it.reason == LossReason::not_renewed) {
      EXPECT_GE(it.deadline - now_, 2s) << "S11: its work has its time to drain";
    }
    candidate.phase = Phase::ending;
    candidate.deadline = it.deadline;
    draining_.emplace_back(it.election, it.lease);
  }
  void on(const TermOverran& it) {
    count["overran"] += 1;
    Candidate& candidate = known_.at(it.election);
    EXPECT_EQ(candidate.phase, Phase::ending) << "T43: once, and only after the end was told";
    EXPECT_EQ(candidate.term, it.lease);
    EXPECT_GE(now_, candidate.deadline);
    candidate.phase = Phase::overran;
  }
  void on(const TermOver& it) {
    count["over"] += 1;
    Candidate& candidate = known_.at(it.election);
    EXPECT_GE(candidate.phase, Phase::ending);
    EXPECT_EQ(candidate.term, it.lease);
    std::erase(draining_, std::pair(it.election, it.lease));  // closed
    candidate.past.push_back(it.lease);
    candidate.term = {};
    candidate.phase = Phase::waiting;
  }
  void on(const LeaderChanged& it) {
    count["leader"] += 1;
    Candidate& candidate = known_.at(it.election);
    EXPECT_EQ(candidate.leader, it.before);
    const bool first = candidate.observes && !std::exchange(candidate.told_of_leader, true);
    EXPECT_TRUE(first || it.before != it.now);
    const Holder own{"us", candidate.token};
    EXPECT_EQ(it.now == own, candidate.phase == Phase::leading);
    candidate.leader = it.now;
  }
  void on(const CampaignHindered& it) {
    count["hindered"] += 1;
    EXPECT_EQ(known_.at(it.election).phase, Phase::waiting);
    EXPECT_NE(it.refusal.code, RefusalCode::held);
    EXPECT_NE(it.refusal.code, RefusalCode::cancelled);
  }
  void on(const ElectionStopped& it) {
    count["stopped"] += 1;
    EXPECT_EQ(known_.at(it.election).phase, Phase::waiting);
    known_.erase(it.election);  // at() throws if anything is told of it after that
  }

  Kind kind_;
  Random chance_;
  Agent agent_;
  Time now_{};
  std::vector<Send> open_;
  Known known_;
  std::vector<std::pair<ElectionId, LeaseId>> draining_;  // the work that has been told to end
  Token token_ = 0;
  Token last_token_ = 0;
};

// T43, T52, T58, S11, L8, L9
TEST(Elections, WhateverHappensTermsFollowOneAnotherAndNothingStays) {
  std::map<std::string, std::size_t> count;
  for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Campaigns campaigns(seed, {seed % 2 == 0 ? 3U : 1U, seed % 3 != 0});
    for (int i = 0; i < 600; ++i) campaigns.step();
    campaigns.end();
    for (const auto& [what, times] : campaigns.count) count[what] += times;
  }
  for (const char* what : {"elected", "ending", "overran", "over", "leader", "hindered", "stopped"}) {
    EXPECT_GT(count[what], 200U) << what;
  }
}

}  // namespace
}  // namespace tenure::core
