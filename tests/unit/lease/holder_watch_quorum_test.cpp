// Who is seen over several nodes: what a majority of the configured ones shows.
#include <map>
#include <set>

#include "unit/lease/looking.hpp"

namespace tenure::core {
namespace {

struct LookingAtThree : Looking {
  LookingAtThree() { nodes(3); }

  // One to each.
  std::vector<Send> ask(Time now = at(0s)) {
    auto sent = Looking::ask(now);
    EXPECT_EQ(sent.size(), 3U);
    return sent;
  }
};

TEST_F(LookingAtThree, EveryNodeIsAsked) {
  watch();
  const auto sent = ask();
  for (NodeIndex node = 0; node < 3; ++node) {
    EXPECT_EQ(sent.at(node).node, node);
    EXPECT_EQ(keys(sent.at(node)), Names{"key1"});
  }
}

// T5: the third may be dead.
TEST_F(LookingAtThree, WhatAMajorityShowsIsToldWithoutWaitingForTheRest) {
  watch();
  const auto sent = ask();
  reply(sent[2], KeyStates{shows(web_3)}, at(1ms));
  EXPECT_EQ(seen(), Names{});
  reply(sent[0], KeyStates{shows(web_3)}, at(2ms));
  EXPECT_EQ(seen(), Names{"web-3"});
  EXPECT_EQ(watch_.wake(), at(802ms));
}

TEST_F(LookingAtThree, ThatAMajorityShowsNobodyIsToldWithoutWaitingForTheRest) {
  watch();
  const auto sent = ask();
  reply(sent[0], KeyStates{nothing}, at(1ms));
  EXPECT_EQ(seen(), Names{});
  reply(sent[1], KeyStates{nothing}, at(2ms));
  EXPECT_EQ(seen(), Names{"nobody"});
}

// T7, M12: two that agree are no majority of five.
TEST_F(Looking, TheMajorityIsOfTheConfiguredNodes) {
  nodes(5);
  watch();
  const auto sent = ask();
  reply(sent.at(0), KeyStates{shows(web_3)}, at(1ms));
  reply(sent.at(1), KeyStates{shows(web_3)}, at(1ms));
  reply(sent.at(2), failed(Applied::no), at(1ms));
  reply(sent.at(3), failed(Applied::no), at(1ms));
  EXPECT_EQ(seen(), Names{});
  on_timer(at(1s));
  EXPECT_EQ(seen(), Names{"nobody"});
}

// T6
TEST_F(Looking, HalfOfAnEvenNumberIsNobody) {
  nodes(2);
  watch();
  const auto sent = ask();
  reply(sent.at(0), KeyStates{shows(web_3)}, at(1ms));
  reply(sent.at(1), KeyStates{shows(web_4)}, at(1ms));
  EXPECT_EQ(seen(), Names{"nobody"});
}

// A grant that is not confirmed yet has another token on each node (S3).
TEST_F(LookingAtThree, TheSameOwnerByDifferentTokensIsNobodyYet) {
  watch();
  const auto sent = ask();
  for (NodeIndex node = 0; node < 3; ++node)
    reply(sent[node], KeyStates{shows({"web-3", 5U + node})}, at(1ms));
  EXPECT_EQ(seen(), Names{"nobody"});
}

TEST_F(LookingAtThree, NodesThatDisagreeAreDecidedByTheLast) {
  watch();
  const auto sent = ask();
  reply(sent[0], KeyStates{shows(web_3)}, at(1ms));
  reply(sent[1], KeyStates{shows(web_4)}, at(1ms));
  EXPECT_EQ(seen(), Names{});
  reply(sent[2], KeyStates{shows(web_4)}, at(1ms));
  EXPECT_EQ(seen(), Names{"web-4"});
}

// It is there on a majority until the time has run out on all but a minority.
TEST_F(LookingAtThree, LooksAgainWhenAMajorityShowsItNoMore) {
  watch();
  const auto sent = ask();
  reply(sent[0], KeyStates{shows(web_3, 100ms)}, at(0s));
  reply(sent[1], KeyStates{shows(web_3, 500ms)}, at(0s));
  EXPECT_EQ(watch_.wake(), at(102ms));
  reply(sent[2], KeyStates{shows(web_3, 300ms)}, at(0s));  // what is decided is not decided again
  EXPECT_EQ(watch_.wake(), at(102ms));
}

// T8: bounded by the node timeout, and each look by its own.
TEST_F(LookingAtThree, ASilentNodeIsDroppedAndDelaysNothing) {
  watch();
  const auto first = ask();
  for (NodeIndex node : {0U, 1U}) reply(first[node], KeyStates{shows(web_3)}, at(0s));
  const auto second = ask(at(800ms));
  for (NodeIndex node : {0U, 1U}) reply(second[node], KeyStates{nothing}, at(800ms));
  EXPECT_EQ(seen(), (Names{"web-3", "nobody"}));
  on_timer(at(1s));
  const auto dropped = take<Drop>();
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].node, 2U);
  EXPECT_EQ(dropped[0].id, first[2].id);
  EXPECT_EQ(seen(), Names{});
}

// One name that is just changing hands must not keep the others of its call waiting for a dead node.
TEST_F(LookingAtThree, ANameThatIsUndecidedDoesNotDelayTheOthersOfItsLook) {
  watch(1);
  watch(2);
  const auto sent = ask();
  reply(sent[0], KeyStates{shows(web_3), shows(web_3)}, at(1ms));
  reply(sent[1], KeyStates{shows(web_3), shows(web_4)}, at(1ms));
  const auto told = take<Seen>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].watch, WatchId{1});
  on_timer(at(1s));
  const auto later = take<Seen>();
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].watch, WatchId{2});
  EXPECT_EQ(later[0].holder, std::nullopt);
}

TEST_F(LookingAtThree, TooFewAnswersKeepWhatWasSeenUntilItsTimeHasRunOut) {
  watch();
  auto sent = ask();
  for (const Send& it : sent) reply(it, KeyStates{shows(web_3, 3s)}, at(0s));
  EXPECT_EQ(seen(), Names{"web-3"});
  Time now = at(0s);
  while (now < at(6s)) {
    now = wake();
    // One node is left, and has nothing: it may be the one that never had it.
    for (const Send& it : take<Send>()) {
      if (it.node == 0) reply(it, KeyStates{nothing}, now);
    }
    if (now < at(3s)) {
      EXPECT_EQ(seen(), Names{}) << to_text(now.time_since_epoch());
    }
  }
  EXPECT_EQ(seen(), Names{"nobody"});
}

TEST_F(LookingAtThree, ALateAnswerCountsInItsOwnLookOnly) {
  watch();
  const auto first = ask();
  for (NodeIndex node : {0U, 1U}) reply(first[node], KeyStates{shows(web_3)}, at(0s));
  const auto second = ask(at(800ms));
  reply(second[0], KeyStates{shows(web_4)}, at(800ms));
  reply(first[2], KeyStates{shows(web_4)}, at(900ms));  // of the look before
  EXPECT_EQ(seen(), Names{"web-3"});
  reply(second[1], KeyStates{shows(web_4)}, at(900ms));
  EXPECT_EQ(seen(), Names{"web-4"});
}

// Nodes that say anything at all, or nothing, or too late; and what is left of it once they tell the truth.
class Haze {
 public:
  Haze(std::uint64_t seed, std::size_t nodes) : nodes_(nodes), chance_(seed), holder_watch_(nodes) {}

  void step() {
    switch (chance_.below(6)) {
      case 0:
        holder_watch_.watch(WatchId{++last_}, "k" + std::to_string(chance_.below(3)),
                            chance_.between(20ms, 1s), chance_.between(5ms, 1s), now_);
        watched_[WatchId{last_}] = {};
        break;
      case 1:
        if (!watched_.empty() && chance_.below(2) == 0) unwatch();
        break;
      case 2:
        pass_time();
        break;
      default:
        answer([&](const LookRequest& it) { return anything(it); });
    }
    take();
  }

  // From now on all nodes tell the same, and at once.
  void clear_up() {
    for (int i = 0; i < 200; ++i) {
      pass_time();
      take();
      while (!open_.empty()) {
        answer([&](const LookRequest& it) { return Reply{KeyStates(it.keys.size(), shows(web_4))}; });
        take();
      }
    }
    for (const auto& [id, last] : watched_) EXPECT_EQ(last.holder, web_4);
  }

  void end() {
    while (!watched_.empty()) unwatch();
    for (int i = 0; i < 100 && holder_watch_.wake(); ++i) {
      pass_time();
      take();
    }
    EXPECT_TRUE(holder_watch_.empty());
    EXPECT_TRUE(desk_.requests.empty());
  }

  std::size_t told() const { return told_; }

 private:
  struct Last {
    bool told = false;
    std::optional<Holder> holder{};
  };

  void unwatch() {
    const auto it = std::next(watched_.begin(), static_cast<std::ptrdiff_t>(chance_.below(watched_.size())));
    holder_watch_.unwatch(it->first);
    watched_.erase(it);
  }

  void pass_time() {
    if (const auto wake = holder_watch_.wake()) now_ = std::max(now_, *wake);
    if (chance_.below(20) == 0) now_ += chance_.between(0s, 5s);
    holder_watch_.on_timer(now_, desk_.out);
    EXPECT_GT(holder_watch_.wake().value_or(Time::max()), now_) << "all that was due is done";
  }

  template <class Answer>
  void answer(Answer&& how) {
    if (open_.empty()) return;
    const auto it = open_.begin() + static_cast<std::ptrdiff_t>(chance_.below(open_.size()));
    const Send sent = std::move(*it);
    open_.erase(it);
    now_ += chance_.between(0s, 2ms);
    desk_.requests.take(sent.id);
    holder_watch_.on_reply(sent.id, how(std::get<LookRequest>(sent.request)), now_, desk_.out);
  }

  Reply anything(const LookRequest& request) {
    if (chance_.below(8) == 0) return failed(Applied::perhaps);
    if (chance_.below(20) == 0) return Granted{1};
    KeyStates states(chance_.below(20) == 0 ? chance_.below(4) : request.keys.size());
    for (KeyState& it : states) {
      const Ttl left(static_cast<std::int64_t>(chance_.below(2000)) - 2);
      if (chance_.below(3) != 0) it = shows({"web", 1 + chance_.below(2)}, left);
      if (left < Ttl::zero()) it.left.reset();
    }
    return states;
  }

  void take() {
    for (const Action& action : std::exchange(desk_.actions, {})) {
      if (const auto* send = std::get_if<Send>(&action)) {
        EXPECT_LT(send->node, nodes_);
        open_.push_back(*send);
      } else if (const auto* drop = std::get_if<Drop>(&action)) {
        EXPECT_EQ(std::erase_if(open_, [&](const Send& it) { return it.id == drop->id; }), 1U);
      } else if (const auto* unseen = std::get_if<Unseen>(&action)) {
        ASSERT_TRUE(watched_.contains(unseen->watch)) << "nobody watches it";
        EXPECT_GT(unseen->failures.size(), nodes_ - quorum_of(nodes_)) << "a majority would have been enough";
      } else {
        const auto& seen = std::get<Seen>(action);
        ASSERT_TRUE(watched_.contains(seen.watch)) << "nobody watches it";
        auto& [told, holder] = watched_.at(seen.watch);
        EXPECT_FALSE(told && holder == seen.holder) << "only what changes is told";
        told = true;
        holder = seen.holder;
        told_ += 1;
      }
    }
  }

  std::size_t nodes_;
  Random chance_;
  HolderWatch holder_watch_;
  Desk desk_;
  Time now_{};
  std::vector<Send> open_;
  std::uint64_t last_ = 0;
  std::map<WatchId, Last> watched_;
  std::size_t told_ = 0;
};

// L9
TEST(HolderWatch, WhateverNodesSayOnlyChangesAreToldAndInTheEndTheTruth) {
  std::size_t told = 0;
  for (std::uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Haze haze(seed, 1 + seed % 4);
    for (int i = 0; i < 300; ++i) haze.step();
    haze.clear_up();
    haze.end();
    told += haze.told();
  }
  EXPECT_GT(told, 2000U);
}

}  // namespace
}  // namespace tenure::core
