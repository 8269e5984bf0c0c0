// tenure lock sees every lease, of whatever kind: those of locks, of elections and of the sessions of fleets.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

class LockKinds : public testing::Test {
 protected:
  Result lock(const Words& words) { return tenure(Words{"lock"} + words + Words{"--redis", redis.url()}); }
  // As Tenure writes it.
  void lease(const std::string& key, const std::string& owner) {
    redis.command({"SET", key, owner + "#0123456789abcdef#17", "PX", "50000"});
  }

  ReadyRedis redis;
};

TEST_F(LockKinds, ShowOfANameThatSomebodyLeadsSaysSo) {
  const auto leader = start_tenure({"elect", "app:leader", "--id", "web-1", "--redis", redis.url()});
  ASSERT_TRUE(prints(*leader, "elected term=")) << leader->err();
  const Result text = lock({"show", "app:leader"});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(text.out.starts_with("app:leader: an election, held by web-1 for another ")) << text.out;
  const Result json = lock({"show", "app:leader", "--json"});
  EXPECT_EQ(json.code, 0);
  EXPECT_TRUE(json.out.starts_with(
      R"({"name": "app:leader", "kind": "election", "fleet": null, "state": "held", "owner": "web-1")"))
      << json.out;
}

TEST_F(LockKinds, ShowFindsSessionsOfTheUsualFleetAndOfOthers) {
  lease("poll:lease:s1", "web-1");
  lease("billing:lease:s2", "web-2");
  EXPECT_TRUE(lock({"show", "s1"}).out.starts_with("s1: a session of the fleet poll, held by web-1 for "));
  EXPECT_EQ(lock({"show", "s2"}).code, 1);
  const std::string expected = "s2: a session of the fleet billing, held by web-2 for ";
  EXPECT_TRUE(lock({"show", "s2", "--fleet", "billing"}).out.starts_with(expected));
  EXPECT_TRUE(lock({"show", "billing:lease:s2"}).out.starts_with(expected));
  EXPECT_TRUE(has(lock({"show", "s1", "--json"}).out, R"("kind": "session", "fleet": "poll", )"));
}

TEST_F(LockKinds, ANameThatIsTakenTwiceIsShownTwice) {
  lease("redlock:job", "web-1");
  lease("job", "web-2");
  const Result text = lock({"show", "job"});
  EXPECT_TRUE(text.out.starts_with("job: a lock, held by web-1 for ")) << text.out;
  EXPECT_TRUE(has(text.out, "\njob: an election, held by web-2 for ")) << text.out;
  const std::string json = lock({"show", "job", "--json"}).out;
  EXPECT_TRUE(json.starts_with(R"({"name": "job", "kind": "lock", )")) << json;
  EXPECT_TRUE(has(json, R"("also": [{"name": "job", "kind": "election", )")) << json;
}

TEST_F(LockKinds, ANameThatOnlyAKeyOfAnotherHasIsFree) {
  redis.command({"SET", "job", "by hand"});
  redis.command({"RPUSH", "list", "x"});
  for (const char* name : {"job", "list", "nothing"}) {
    const Result text = lock({"show", name});
    EXPECT_EQ(text.code, 1) << text.out;
    EXPECT_EQ(text.out, std::string(name) + ": free\n");
  }
  EXPECT_TRUE(has(lock({"show", "job", "--json"}).out, R"({"name": "job", "kind": null, "fleet": null, )"));
}

TEST_F(LockKinds, LsShowsElectionsAndCountsTheSessionsOfEachFleet) {
  lease("redlock:job", "web-1");
  lease("app:leader", "web-2");
  lease("app#odd", "we#b");
  for (int i = 0; i < 1'200; ++i) lease("poll:lease:" + std::to_string(i), i % 2 == 0 ? "web-1" : "web-2");
  lease("billing:lease:a", "web-3");
  // Not Tenure's, though some look like it.
  redis.command({"SET", "cache:1", "a#b#5", "PX", "50000"});
  redis.command({"SET", "cache:2", std::string(100'000, 'x') + "#0123456789abcdef#17", "PX", "50000"});
  redis.command({"SET", "kept", "web-1#0123456789abcdef#17"});
  redis.command({"RPUSH", "list", "x"});
  redis.command({"PEXPIRE", "list", "50000"});

  const Result text = lock({"ls"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  const auto rows = table(text.out);
  ASSERT_EQ(rows.size(), 7U) << text.out;
  EXPECT_EQ(rows[0], (Words{"NAME", "KIND", "STATE", "OWNER", "TOKEN", "LEFT", "WAITING", "NODES"}));
  EXPECT_EQ(rows[1], (Words{"app#odd", "election", "held", "we#b", "17", rows[1].at(5), "0", "1/1"}));
  EXPECT_EQ(rows[2], (Words{"app:leader", "election", "held", "web-2", "17", rows[2].at(5), "0", "1/1"}));
  EXPECT_EQ(rows[3], (Words{"job", "lock", "held", "web-1", "17", rows[3].at(5), "0", "1/1"}));
  EXPECT_TRUE(has(text.out,
                  "\n\nfleet billing: 1 session held by 1 instance\n"
                  "fleet poll: 1200 sessions held by 2 instances\n"))
      << text.out;
  const std::string json = lock({"ls", "--json"}).out;
  EXPECT_TRUE(has(json, R"({"name": "app:leader", "kind": "election", "fleet": null, "state": "held", )"));
  EXPECT_TRUE(has(json, R"("fleets": [{"fleet": "billing", "sessions": 1, "instances": 1}, )"
                        R"({"fleet": "poll", "sessions": 1200, "instances": 2}]})"))
      << json;
}

TEST_F(LockKinds, LsListsEverySessionIfAsked) {
  lease("poll:lease:s1", "web-1");
  lease("billing:lease:s2", "web-2");
  redis.command({"RPUSH", "tenure:queue:poll:lease:s1", "web-3#0123456789abcdef#"});
  const auto rows = table(lock({"ls", "--sessions"}).out);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1],
            (Words{"s1", "session", "of", "poll", "held", "web-1", "17", rows[1].at(7), "1", "1/1"}));
  EXPECT_EQ(rows[2],
            (Words{"s2", "session", "of", "billing", "held", "web-2", "17", rows[2].at(7), "0", "1/1"}));
  EXPECT_TRUE(
      has(lock({"ls", "--sessions", "--json"}).out, R"("name": "s1", "kind": "session", "fleet": "poll")"));
}

TEST_F(LockKinds, OneWhoMayNotReadEverythingIsToldSo) {
  redis.command({"ACL", "SETUSER", "worker", "on", ">s3cret", "~redlock:*", "~tenure:*", "&*", "+@all"});
  lease("redlock:job", "web-1");
  lease("app:leader", "web-2");
  const Result result = tenure({"lock", "ls", "--redis", redis.url("worker:s3cret")});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(table(result.out).size(), 2U) << result.out;
  EXPECT_TRUE(has(result.err, "may not look at 1 key,")) << result.err;
  const Result taken = tenure({"lock", "show", "job", "--redis", redis.url("worker:s3cret")});
  EXPECT_TRUE(taken.out.starts_with("job: a lock, held by web-1 for ")) << taken.out << taken.err;
  EXPECT_EQ(taken.err, "");
  const Result unseen = tenure({"lock", "show", "app:leader", "--redis", redis.url("worker:s3cret")});
  EXPECT_EQ(unseen.code, 1);
  EXPECT_TRUE(has(unseen.err, "may not look at 2 keys,")) << unseen.err;
}

TEST_F(LockKinds, BreakSaysWhatItBreaksAndLeavesElectionsAlone) {
  lease("app:leader", "web-2");
  const Result refused = lock({"break", "app:leader", "--yes"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(has(refused.err, "app:leader is no lock but an election, held by web-2 for another "))
      << refused.err;
  EXPECT_TRUE(has(refused.err, "nothing was changed")) << refused.err;
  EXPECT_EQ(redis.command({"GET", "app:leader"}).text, "web-2#0123456789abcdef#17");
  lease("redlock:app:leader", "web-1");
  const Result broken = lock({"break", "app:leader", "--yes", "--unsafe"});
  EXPECT_EQ(broken.code, 0) << broken.err;
  EXPECT_TRUE(has(broken.err, "tenure: the lock app:leader is held by web-1 for another ")) << broken.err;
  EXPECT_EQ(redis.command({"GET", "app:leader"}).text, "web-2#0123456789abcdef#17");
}

}  // namespace
}  // namespace tenure::test
