#include "core/fleet/holder_scan.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

struct AHolderScan : testing::Test {
  std::optional<HolderScan> scan{};
  Desk desk;
  std::vector<HolderScan::Found> found;

  AHolderScan() { nodes(1); }
  void nodes(std::size_t count) { scan.emplace(count, 1s); }
  // The questions, as they were sent.
  std::vector<Send> start(std::size_t names) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < names; ++i) keys.push_back("key" + std::to_string(i));
    scan->start(std::move(keys), at(0s), desk.out);
    return desk.take<Send>();
  }
  std::vector<Send> reply(const Send& to, const Reply& answer, Time now = at(1ms)) {
    scan->on_reply(to.id, answer, now, desk.out, found);
    return desk.take<Send>();
  }
  static std::size_t size(const Send& sent) { return std::get<LookRequest>(sent.request).keys.size(); }
  static KeyStates held(std::size_t names, const std::string& owner = "web-1") {
    return KeyStates(names, KeyState{Holder{owner, 5}, Grant(owner, 1), 10s});
  }
};

TEST_F(AHolderScan, TellsWhoHoldsEachName) {
  const auto sent = start(2);
  reply(sent.at(0), KeyStates{held(1)[0], KeyState{}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].view->holder->owner, "web-1");
  EXPECT_FALSE(found[1].view->holder);
  EXPECT_FALSE(scan->under_way());
}

TEST_F(AHolderScan, TellsNothingOfANameThatTheNodeCannotLookAtAndAllOfTheOthers) {
  KeyState unknown;
  unknown.known = false;
  const auto sent = start(2);
  reply(sent.at(0), KeyStates{unknown, held(1)[0]});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0].view);
  EXPECT_EQ(found[1].view->holder->owner, "web-1");
}

TEST_F(AHolderScan, IsOverWhenAMajorityAgrees) {
  nodes(3);
  const auto sent = start(1);
  ASSERT_EQ(sent.size(), 3U);
  reply(sent[0], held(1));
  EXPECT_TRUE(found.empty());
  reply(sent[2], held(1));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].view->holder->owner, "web-1");
  reply(sent[1], held(1, "too late"));
  EXPECT_EQ(found.size(), 1U);
}

TEST_F(AHolderScan, WaitsForTheThirdWhereTwoDisagree) {
  nodes(3);
  const auto sent = start(1);
  reply(sent[0], held(1, "one"));
  reply(sent[1], held(1, "other"));
  EXPECT_TRUE(found.empty());
  reply(sent[2], held(1, "other"));
  EXPECT_EQ(found.at(0).view->holder->owner, "other");
  EXPECT_TRUE(found.at(0).view->stirs);
}

TEST_F(AHolderScan, TellsNothingOfWhatTooFewNodesShow) {
  nodes(3);
  const auto sent = start(1);
  reply(sent[0], held(1));
  reply(sent[1], failed(Applied::no));
  reply(sent[2], failed(Applied::no));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].view);
}

TEST_F(AHolderScan, DropsWhatIsSilentForLongerThanANodeMay) {
  const auto sent = start(1);
  EXPECT_EQ(scan->wake(), at(1s));
  scan->on_timer(at(1s), desk.out, found);
  EXPECT_EQ(desk.take<Drop>().at(0).id, sent.at(0).id);
  EXPECT_FALSE(found.at(0).view);
  EXPECT_FALSE(scan->under_way());
}

// T57: many names take some calls at a time, each of a size that holds nobody up.
TEST_F(AHolderScan, AsksForManyNamesInPartsAndSomeAtATime) {
  auto sent = start(2'300);
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_EQ(size(sent[0]), 500U);
  const auto last = reply(sent[2], held(500));
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(size(last[0]), 300U);
  EXPECT_EQ(std::get<LookRequest>(last[0].request).keys[0], "key2000");
  EXPECT_TRUE(reply(sent[0], held(500)).empty());
  reply(last[0], held(300));
  EXPECT_EQ(found.back().name, 2'299U);
  EXPECT_TRUE(scan->under_way());
  reply(sent[1], held(500));
  reply(sent[3], held(500));
  EXPECT_EQ(found.size(), 2'300U);
  EXPECT_FALSE(scan->under_way());
}

TEST_F(AHolderScan, AsksForNoMoreNamesAtATimeThanTheStoreCanTake) {
  scan.emplace(1, 1s, BatchMax{2});
  const auto sent = start(3);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(size(sent[0]), 2U);
  EXPECT_EQ(size(sent[1]), 1U);
}

TEST_F(AHolderScan, DoesNotCountAnAnswerOfAnotherSize) {
  const auto sent = start(2);
  reply(sent.at(0), held(3));
  EXPECT_FALSE(found.at(0).view);
}

TEST_F(AHolderScan, HearsNothingOnceItIsStopped) {
  const auto sent = start(1);
  scan->stop(desk.out);
  EXPECT_FALSE(scan->wake());
  reply(sent.at(0), held(1));
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(start(3).size(), 1U);
}

}  // namespace
}  // namespace tenure::core
