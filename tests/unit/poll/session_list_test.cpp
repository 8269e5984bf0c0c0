#include "poll/session_list.hpp"

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

TEST(SessionList, PausedSessionsAreNotShared) {
  SessionList list;
  Sessions sessions = named({"a", "b", "c"});
  sessions.good[1].paused = true;
  list.update(sessions);
  EXPECT_EQ(ids(list.active()), (Ids{"a", "c"}));
  list.pause("c");
  EXPECT_EQ(ids(list.active()), Ids{"a"});
  list.resume("c");
  list.resume("b");
  EXPECT_EQ(ids(list.active()), (Ids{"a", "c"})) << "what the source pauses, nobody resumes by hand";
}

TEST(SessionList, WhatIsRemovedComesBackOnlyWhenItIsNamedAnew) {
  SessionList list;
  list.update(named({"a", "b"}));
  list.remove("a");
  EXPECT_EQ(ids(list.active()), Ids{"b"});
  list.update(named({"a", "b"}));
  EXPECT_EQ(ids(list.active()), Ids{"b"});
  list.update(named({"b"}));
  list.update(named({"a", "b"}));
  EXPECT_EQ(ids(list.active()), (Ids{"a", "b"}));
}

TEST(SessionList, BadOnesAreToldOncePerReason) {
  SessionList list;
  EXPECT_EQ(list.update(named({"a"}, {{"b", "no address"}})).bad,
            (std::vector<BadSession>{{"b", "no address"}}));
  EXPECT_TRUE(list.update(named({"a"}, {{"b", "no address"}})).bad.empty());
  EXPECT_EQ(list.update(named({"a"}, {{"b", "no JSON"}})).bad, (std::vector<BadSession>{{"b", "no JSON"}}));
  const auto news = list.update(named({"a", "b"}));
  EXPECT_EQ(news.good, Ids{"b"});
  EXPECT_TRUE(list.update(named({"a", "b"})).good.empty());
}

TEST(SessionList, ABadSessionThatVanishedIsNotGood) {
  SessionList list;
  list.update(named({}, {{"b", "no address"}}));
  EXPECT_TRUE(list.update(named({})).good.empty());
}

TEST(SessionList, ASessionWithoutAnIntervalIsBad) {
  SessionList list;
  Sessions sessions = named({"a"});
  sessions.good[0].interval = std::chrono::milliseconds(0);
  EXPECT_EQ(list.update(sessions).bad.size(), 1U);
  EXPECT_TRUE(list.active().empty());
}

}  // namespace
}  // namespace tenure::poll
