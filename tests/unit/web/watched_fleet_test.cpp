// Sessions as the page asks for them: found, ordered, page by page, with what earlier looks showed of each.
#include "cli/web/watched_fleet.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/cli/fleet_facts.hpp"

namespace tenure::cli {
namespace {

FleetFacts::Result result(bool ok, std::int64_t at_ms, std::int64_t took_ms) {
  return {poll::ResultText{ok, ok ? "" : "no answer", at_ms, took_ms}, 1};
}

std::vector<std::int32_t> trail(const WatchedFleet& fleet, std::size_t session) {
  const auto ms = fleet.trails.at(session).milliseconds();
  return {ms.begin(), ms.end()};
}

// The ids of a page, in its order.
std::vector<std::string> ids(const WatchedFleet& fleet, const SessionQuery& query) {
  const std::string json = sessions_page_json(fleet, "poll", query);
  std::vector<std::string> found;
  const std::string mark = "\"id\": \"";
  for (auto at = json.find(mark); at != std::string::npos; at = json.find(mark, at + 1)) {
    const auto from = at + mark.size();
    found.push_back(json.substr(from, json.find('"', from) - from));
  }
  return found;
}

using Ids = std::vector<std::string>;

TEST(WatchedFleet, EveryResultIsRememberedOnce) {
  const auto look = [](std::int64_t at, std::int64_t took, bool ok = true) {
    Facts facts = Facts().session("a", "web-1").session("b", "web-1");
    facts.results[1] = result(ok, at, took);
    return view_of(facts);
  };
  auto fleet = watched(look(1, 10), nullptr);
  fleet = watched(look(1, 10), &fleet);  // the same result, seen twice
  fleet = watched(look(2, 30), &fleet);
  fleet = watched(look(3, 5'000, false), &fleet);
  EXPECT_EQ(trail(fleet, 1), (std::vector<std::int32_t>{10, 30, LatencyTrail::failed}));
  EXPECT_TRUE(trail(fleet, 0).empty());
  for (int i = 4; i < 100; ++i) fleet = watched(look(i, i), &fleet);
  const auto last = trail(fleet, 1);
  EXPECT_EQ(last.size(), 30U);
  EXPECT_EQ(last.front(), 70);
  EXPECT_EQ(last.back(), 99);
}

TEST(WatchedFleet, ATrailStaysWithItsSessionWhateverComesAndGoes) {
  Facts first = Facts().session("s-2", "x").session("s-9", "x");
  first.results[1] = result(true, 1, 9);
  const auto before = watched(view_of(first), nullptr);
  Facts then = Facts().session("s-3", "x").session("s-9", "x").session("s-10", "x");
  then.results[1] = result(true, 1, 9);
  const auto now = watched(view_of(then), &before);
  EXPECT_TRUE(trail(now, 0).empty());
  EXPECT_EQ(trail(now, 1), (std::vector<std::int32_t>{9}));
  EXPECT_TRUE(trail(now, 2).empty());
}

class SessionsTest : public testing::Test {
 protected:
  SessionsTest() {
    Facts facts;
    facts.session("s-1", "web-2").session("s-2", "web-10").session("s-10", "").session("s-20", "web-2", true);
    facts.results[0] = result(true, 60'000, 50);
    facts.results[1] = result(false, 60'000, 5'000);
    fleet = watched(view_of(facts), nullptr);
  }
  Ids ordered(SessionOrder order) const { return ids(fleet, {"", order, {}}); }

  WatchedFleet fleet;
};

TEST_F(SessionsTest, ComeInTheOrderThatIsAskedFor) {
  EXPECT_EQ(ordered(SessionOrder::id), (Ids{"s-1", "s-2", "s-10", "s-20"}));
  EXPECT_EQ(ordered(SessionOrder::failing), (Ids{"s-10", "s-2", "s-1", "s-20"}));
  EXPECT_EQ(ordered(SessionOrder::owner), (Ids{"s-1", "s-20", "s-2", "s-10"}));
  EXPECT_EQ(ordered(SessionOrder::latency), (Ids{"s-2", "s-1", "s-10", "s-20"}));
  EXPECT_EQ(ordered(SessionOrder::due).front(), "s-1");
}

TEST_F(SessionsTest, AreFoundByIdAddressAndOwner) {
  EXPECT_EQ(ids(fleet, {"S-1", SessionOrder::id, {}}), (Ids{"s-1", "s-10"}));
  EXPECT_EQ(ids(fleet, {"web-10", SessionOrder::id, {}}), (Ids{"s-2"}));
  EXPECT_EQ(ids(fleet, {"http://a", SessionOrder::id, {}}).size(), 4U);
  EXPECT_EQ(ids(fleet, {"nothing", SessionOrder::id, {}}), Ids{});
}

TEST_F(SessionsTest, ComePageByPage) {
  EXPECT_EQ(ids(fleet, {"", SessionOrder::id, {2, 0}}), (Ids{"s-1", "s-2"}));
  EXPECT_EQ(ids(fleet, {"", SessionOrder::id, {2, 2}}), (Ids{"s-10", "s-20"}));
  EXPECT_EQ(ids(fleet, {"", SessionOrder::id, {2, 9}}), Ids{});
  const auto page = sessions_page_json(fleet, "poll", {"", SessionOrder::id, {2, 0}});
  EXPECT_NE(page.find("\"total\": 4"), std::string::npos);
  EXPECT_NE(page.find("\"next\": 2"), std::string::npos);
  EXPECT_NE(sessions_page_json(fleet, "poll", {"", SessionOrder::id, {2, 2}}).find("\"next\": null"),
            std::string::npos);
}

TEST_F(SessionsTest, AreDueInTheNextSlotUnlessNobodyKnows) {
  const auto& all = fleet.view.sessions;
  const auto due = next_due_ms(all[0], fleet.view.now_ms);
  ASSERT_TRUE(due);
  EXPECT_GT(*due, 60'000);
  EXPECT_LE(*due, 60'000 + all[0].session.interval.count());
  EXPECT_FALSE(next_due_ms(all[1], fleet.view.now_ms));  // it fails, and backs off
  EXPECT_FALSE(next_due_ms(all[2], fleet.view.now_ms));  // nobody owns it
  EXPECT_FALSE(next_due_ms(all[3], fleet.view.now_ms));  // it is paused
}

}  // namespace
}  // namespace tenure::cli
