#include "poll/roll.hpp"

#include <gtest/gtest.h>

namespace tenure::poll {
namespace {

std::vector<std::string> ids(const std::vector<Session>& sessions) {
  std::vector<std::string> all;
  for (const auto& session : sessions) all.push_back(session.id);
  return all;
}
using Ids = std::vector<std::string>;

Sessions named(const Ids& good, const std::vector<BadSession>& bad = {}) {
  Sessions sessions;
  for (const auto& id : good) sessions.good.push_back({.id = id});
  sessions.bad = bad;
  return sessions;
}

TEST(Roll, PausedSessionsAreNotShared) {
  Roll roll;
  Sessions sessions = named({"a", "b", "c"});
  sessions.good[1].paused = true;
  roll.update(sessions);
  EXPECT_EQ(ids(roll.active()), (Ids{"a", "c"}));
  roll.pause("c");
  EXPECT_EQ(ids(roll.active()), Ids{"a"});
  roll.resume("c");
  roll.resume("b");
  EXPECT_EQ(ids(roll.active()), (Ids{"a", "c"})) << "what the source pauses, nobody resumes by hand";
}

TEST(Roll, WhatIsRemovedComesBackOnlyWhenItIsNamedAnew) {
  Roll roll;
  roll.update(named({"a", "b"}));
  roll.remove("a");
  EXPECT_EQ(ids(roll.active()), Ids{"b"});
  roll.update(named({"a", "b"}));
  EXPECT_EQ(ids(roll.active()), Ids{"b"});
  roll.update(named({"b"}));
  roll.update(named({"a", "b"}));
  EXPECT_EQ(ids(roll.active()), (Ids{"a", "b"}));
}

TEST(Roll, BadOnesAreToldOncePerReason) {
  Roll roll;
  EXPECT_EQ(roll.update(named({"a"}, {{"b", "no address"}})).bad,
            (std::vector<BadSession>{{"b", "no address"}}));
  EXPECT_TRUE(roll.update(named({"a"}, {{"b", "no address"}})).bad.empty());
  EXPECT_EQ(roll.update(named({"a"}, {{"b", "no JSON"}})).bad, (std::vector<BadSession>{{"b", "no JSON"}}));
  const auto news = roll.update(named({"a", "b"}));
  EXPECT_EQ(news.good, Ids{"b"});
  EXPECT_TRUE(roll.update(named({"a", "b"})).good.empty());
}

TEST(Roll, ABadSessionThatVanishedIsNotGood) {
  Roll roll;
  roll.update(named({}, {{"b", "no address"}}));
  EXPECT_TRUE(roll.update(named({})).good.empty());
}

TEST(Roll, ASessionWithoutAnIntervalIsBad) {
  Roll roll;
  Sessions sessions = named({"a"});
  sessions.good[0].interval = std::chrono::milliseconds(0);
  EXPECT_EQ(roll.update(sessions).bad.size(), 1U);
  EXPECT_TRUE(roll.active().empty());
}

}  // namespace
}  // namespace tenure::poll
