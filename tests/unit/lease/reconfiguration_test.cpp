#include "core/lease/reconfiguration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tenure::core {
namespace {

using namespace std::chrono_literals;
using Kind = Reconfiguration::Obstacle::Kind;

std::string text(Ttl ttl) { return std::to_string(ttl.count()); }

FoundRecord record(const std::string& set, Ttl cap = 60s, const std::string& state = "open",
                   const std::string& why = "new") {
  return {Record{.terms = {cap, set}, .epoch = "e1", .open = state == "open", .longest = cap, .why = why},
          set + " " + text(cap) + " " + state + " " + why};
}
const FoundRecord none{};

// What the store would show after that.
FoundRecord after(const Reconfiguration::Step& step) {
  return {Record{.terms = step.terms, .epoch = "e2", .longest = step.longest, .why = step.why},
          step.terms.set + " " + text(step.terms.cap) + " " + text(step.longest) + " " + step.why};
}

std::set<NodeIndex> nodes_of(const std::vector<Reconfiguration::Step>& steps) {
  std::set<NodeIndex> nodes;
  for (const auto& step : steps) nodes.insert(step.node);
  return nodes;
}

const Terms five{60s, "5-b"};

TEST(Reconfigurations, CloseAllNodesOfTheOldSetBeforeAnyNodeJoinsTheNew) {
  auto it = Reconfiguration::plan(five, {record("3-a"), record("3-a"), record("3-a"), none, none}).value();
  for (const std::size_t left : {5U, 4U, 3U, 2U, 1U}) {
    const auto steps = it.steps();
    ASSERT_EQ(steps.size(), left);
    for (const auto& step : steps) EXPECT_EQ(step.terms.set, no_set);
    it.taken(steps.back().node, after(steps.back()));
  }
  EXPECT_EQ(nodes_of(it.steps()), (std::set<NodeIndex>{0, 1, 2, 3, 4}));
  for (const auto& step : it.steps()) {
    EXPECT_EQ(step.terms, five);
    it.taken(step.node, after(step));
  }
  EXPECT_TRUE(it.idle());
}

TEST(Reconfigurations, AskForAllThatIsSeenToBeAsItWasSeen) {
  const auto it = Reconfiguration::plan({60s, "1"}, {record("1", 120s)}).value();
  EXPECT_EQ(it.steps().at(0).seen, record("1", 120s).text);
}

TEST(Reconfigurations, WaitForTheLongerOfBothCaps) {
  EXPECT_EQ(Reconfiguration::plan({30s, "1"}, {record("1", 120s)})->longest(), 120s);
  EXPECT_EQ(Reconfiguration::plan({300s, "1"}, {record("1", 120s)})->longest(), 300s);
  // Begun before, by somebody who closed a node and died: its record says how long others could hold a lease.
  const FoundRecord closed = record("none", 600s, "quarantined", "1>1");
  EXPECT_EQ(Reconfiguration::plan({30s, "1"}, {closed})->longest(), 600s);
}

// Somebody has named the new set too early, and sits out its quarantine on nodes that are new: no lease of the old set
// is over then. (Found by the simulator: seed 401 of --faults all,reconfigure --nodes 5.)
TEST(Reconfigurations, LetAlsoNodesJoinAnewThatShowTheNewSetAlready) {
  const FoundRecord early = record("5-b", 60s, "quarantined", "unknown");
  auto it = Reconfiguration::plan(five, {record("2-a"), record("2-a"), early, early, record("5-b")}).value();
  EXPECT_EQ(nodes_of(it.steps()), (std::set<NodeIndex>{0, 1, 2, 3, 4}));
  for (const auto& step : it.steps()) it.taken(step.node, after(step));
  EXPECT_EQ(nodes_of(it.steps()), (std::set<NodeIndex>{0, 1, 2, 3, 4}));
  EXPECT_FALSE(Reconfiguration::plan(five, std::vector(5, early))->idle()) << "nobody has made it yet";
}

TEST(Reconfigurations, ChangeNothingWhereAllIsAsItShallBe) {
  EXPECT_TRUE(Reconfiguration::plan(five, std::vector(5, record("5-b")))->idle());
  EXPECT_TRUE(Reconfiguration::plan({60s, "1"}, {record("1")})->idle());
  EXPECT_FALSE(Reconfiguration::plan({30s, "1"}, {record("1")})->idle());
}

TEST(Reconfigurations, GoOnWhereSomebodyBrokeOff) {
  auto first = Reconfiguration::plan(five, {record("3-a"), record("3-a"), record("3-a"), none, none}).value();
  std::vector<FoundRecord> records{record("3-a"), record("3-a"), record("3-a"), none, none};
  // Whatever step it dies after: who comes next ends where it would have.
  for (;;) {
    auto second = Reconfiguration::plan(five, records).value();
    std::map<NodeIndex, Terms> left;
    for (auto steps = second.steps(); !steps.empty(); steps = second.steps()) {
      for (const auto& step : steps) {
        second.taken(step.node, after(step));
        left[step.node] = step.terms;
      }
    }
    for (NodeIndex node = 0; node < 5; ++node) {
      EXPECT_EQ(left.contains(node) ? left[node] : records[node].read->terms, five) << node;
    }
    const auto steps = first.steps();
    if (steps.empty()) break;
    first.taken(steps.front().node, after(steps.front()));
    records[steps.front().node] = after(steps.front());
  }
}

// Its nodes were brought here from another set, which is long gone, and may have come to a third one's attention since.
TEST(Reconfigurations, AskNothingAboutASetThatWasLeftLongAgo) {
  const FoundRecord arrived = record("3-b", 60s, "open", "5-a>3-b");
  EXPECT_TRUE(
      Reconfiguration::plan(five, {arrived, arrived, record("3-b", 60s, "open", "restarted"), none, none}));
}

// Whoever broke off has opened some nodes of the new set since, which know where they came from.
TEST(Reconfigurations, GoOnAlsoWhereSomeNodesAreInUseByNow) {
  const FoundRecord arrived = record("5-b", 60s, "open", "3-a>5-b");
  const FoundRecord closed = record("none", 60s, "quarantined", "3-a>5-b");
  EXPECT_TRUE(Reconfiguration::plan(five, {arrived, arrived, closed, none, none}));
  EXPECT_FALSE(Reconfiguration::plan(five, {record("5-b"), record("5-b"), closed, none, none}));
}

// The nodes that are not named must be no majority of their set.
TEST(Reconfigurations, AreRefusedWhereTheOldSetCouldGoOnByItself) {
  struct Case {
    std::size_t nodes;
    std::size_t named;
    bool allowed;
  };
  for (const auto& [nodes, named, allowed] : {Case{3, 1, false},
                                              {3, 2, true},
                                              {5, 2, false},
                                              {5, 3, true},
                                              {4, 1, false},
                                              {4, 2, true},
                                              {2, 1, true},
                                              {1, 1, true}}) {
    const std::string old = std::to_string(nodes) + "-a";
    const auto it =
        Reconfiguration::plan({60s, std::to_string(named) + "-b"}, std::vector(named, record(old)));
    EXPECT_EQ(it.has_value(), allowed) << named << " of " << nodes;
    if (it) continue;
    EXPECT_EQ(it.error().kind, Kind::alive);
    EXPECT_EQ(it.error().set, old);
    EXPECT_EQ(it.error().named, named);
    EXPECT_EQ(it.error().needed, nodes - quorum_of(nodes) + 1);
  }
}

TEST(Reconfigurations, CountNodesThatLeaveAmongThoseNamed) {
  auto it = Reconfiguration::plan({60s, "1"}, {record("3-a"), record("3-a")}).value();
  EXPECT_EQ(nodes_of(it.steps()), (std::set<NodeIndex>{0, 1}));
  for (const auto& step : it.steps()) it.taken(step.node, after(step));
  EXPECT_EQ(nodes_of(it.steps()), std::set<NodeIndex>{0}) << "who leaves stays closed";
}

// Closed for a set that was begun: others of it may have joined that by now.
TEST(Reconfigurations, AreRefusedWhereAnotherOneWasBegunThatCouldGoOn) {
  const FoundRecord closed = record("none", 60s, "quarantined", "1>3-b");
  const auto it = Reconfiguration::plan({60s, "1"}, {closed});
  ASSERT_FALSE(it);
  EXPECT_EQ(it.error().set, "3-b");
  EXPECT_TRUE(Reconfiguration::plan({60s, "1"}, {closed}, {"3-b"})) << "somebody knows that it was given up";
  EXPECT_TRUE(Reconfiguration::plan({60s, "3-b"}, {closed, none, none})) << "it is ended as it was begun";
}

// A node without a record takes back what holders put there: it may belong to a set in use that others go on with.
TEST(Reconfigurations, TakeANodeFromASetThatPerhapsNobodyUsesOnlyIfSomebodySaysSo) {
  const FoundRecord unknown = record("3-b", 60s, "quarantined", "unknown");
  EXPECT_FALSE(Reconfiguration::plan({60s, "1"}, {unknown}));
  EXPECT_TRUE(Reconfiguration::plan({60s, "1"}, {unknown}, {"3-b"}));
}

// It has no part in the set that the others went to, which goes on without it.
TEST(Reconfigurations, DoNotTakeANodeThatLeftForAMemberOfTheNewSet) {
  auto first = Reconfiguration::plan({60s, "3-d"}, {record("3-a"), none, none, record("3-a")}).value();
  std::vector<FoundRecord> records(4);
  for (auto steps = first.steps(); !steps.empty(); steps = first.steps()) {
    for (const auto& step : steps) {
      records[step.node] = after(step);
      first.taken(step.node, after(step));
    }
  }
  // Somebody with the old list: one node that went, one that left, one that was not named.
  const auto back = Reconfiguration::plan({60s, "3-a"}, {records[0], records[3], record("3-a")});
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().set, "3-d");
  EXPECT_EQ(back.error().named, 1U);
}

// A name may stand for other nodes than before, and then clients with the old list would not be refused.
TEST(Reconfigurations, GiveASetOfOtherNodesAnotherName) {
  const auto chosen = Reconfiguration::Naming::chosen;
  const Terms billing{60s, "3-billing"};
  const auto it =
      Reconfiguration::plan(billing, {record("3-billing"), record("3-billing"), none}, {}, chosen);
  ASSERT_FALSE(it);
  EXPECT_EQ(it.error().kind, Kind::same);
  EXPECT_EQ(it.error().node, 2U);
  EXPECT_TRUE(Reconfiguration::plan(billing, {record("3-billing"), record("3-billing"), none}, {"3-billing"},
                                    chosen));
  EXPECT_TRUE(Reconfiguration::plan(billing, std::vector(3, record("3-billing", 30s)), {}, chosen))
      << "another cap";
  EXPECT_TRUE(Reconfiguration::plan(billing, std::vector(3, record("3-a")), {}, chosen)) << "a new name";
  EXPECT_TRUE(Reconfiguration::plan(billing, {record("3-billing"), record("3-billing"), none}))
      << "made of addresses";
}

TEST(Reconfigurations, DoNotReplaceWhatTenureDidNotWrite) {
  const auto it =
      Reconfiguration::plan(five, {record("3-a"), record("3-a"), FoundRecord{{}, "hello"}, none, none});
  ASSERT_FALSE(it);
  EXPECT_EQ(it.error().kind, Kind::foreign);
  EXPECT_EQ(it.error().node, 2U);
}

}  // namespace
}  // namespace tenure::core
