// tenure sessions: what people add, remove, pause and list, and what they are told.
#include <gtest/gtest.h>

#include "cli/fleet_facts.hpp"

namespace tenure::test {
namespace {

class SessionsTest : public testing::Test {
 protected:
  Result sessions(const Words& words) {
    return tenure(Words{"sessions"} + words + redis_options({redis.url()}));
  }
  std::string text(const std::string& id) { return redis.command({"GET", "session:" + id}).text; }
  std::string version() { return redis.command({"GET", "poll:sessions:version"}).text; }
  bool indexed(const std::string& id) {
    return redis.command({"ZSCORE", "poll:sessions", id}).kind == redis::Value::Kind::string;
  }

  RedisServer redis;
  FleetFacts fleet{redis};
};

TEST_F(SessionsTest, AddWritesTheKeyAndTheIndexAndTellsWhoListens) {
  RedisConnection ear(redis.socket_path());
  ear.command({"SUBSCRIBE", "poll:changes"});
  const Result added = sessions({"add", "s1", "http://a/health", "--every", "5s"});
  EXPECT_EQ(added.code, 0);
  EXPECT_EQ(added.out, "");
  EXPECT_EQ(added.err, "tenure: added s1: http://a/health every 5s\n");
  EXPECT_EQ(text("s1"), R"({"id":"s1","address":"http://a/health","interval_ms":5000,"paused":false})");
  EXPECT_EQ(redis.command({"ZSCORE", "poll:sessions", "s1"}).text, version());
  EXPECT_EQ(ear.receive().items.at(2).text, "sessions");
}

TEST_F(SessionsTest, AddOfTheSameIsDoneAndOfSomethingElseIsRefused) {
  sessions({"add", "s1", "http://a"});
  const std::string before = version();
  const Result same = sessions({"add", "s1", "http://a"});
  EXPECT_EQ(same.code, 0);
  EXPECT_EQ(same.err, "tenure: s1 is there already: http://a every 10s\n");
  const Result other = sessions({"add", "s1", "http://b"});
  EXPECT_EQ(other.code, 73);
  EXPECT_EQ(other.err, "tenure: s1 is there already: http://a every 10s; --replace changes it\n");
  EXPECT_EQ(sessions({"add", "s1", "http://a", "--every", "20s"}).code, 73);
  EXPECT_EQ(version(), before);
  EXPECT_TRUE(has(text("s1"), "http://a"));
}

TEST_F(SessionsTest, ReplaceChangesWhatAddSaysAndKeepsTheRest) {
  fleet.session("s1", R"({"address":"http://a","team":"x","paused":true})");
  const Result replaced = sessions({"add", "s1", "http://b", "--replace"});
  EXPECT_EQ(replaced.code, 0);
  EXPECT_EQ(replaced.err, "tenure: replaced s1: http://b every 10s, paused\n");
  EXPECT_EQ(text("s1"), R"({"address":"http://b","team":"x","paused":true,"interval_ms":10000})");
  fleet.session("s2", "nonsense");
  EXPECT_TRUE(has(sessions({"add", "s2", "http://b"}).err, "s2 is there already: bad, its text is not JSON"));
  EXPECT_EQ(sessions({"add", "s2", "http://b", "--replace"}).code, 0);
  EXPECT_TRUE(has(text("s2"), "http://b"));
}

TEST_F(SessionsTest, ASessionThatWasWrittenByHandComesIntoTheIndexByAdd) {
  fleet.session("s1");
  EXPECT_FALSE(indexed("s1"));
  EXPECT_EQ(sessions({"ls", "--index"}).err,
            "tenure: there are no sessions in the index; one would be the key session:ID\n");
  EXPECT_EQ(sessions({"add", "s1", "http://a"}).code, 0);
  EXPECT_TRUE(indexed("s1"));
  EXPECT_EQ(text("s1"), R"({"address":"http://a"})");
  EXPECT_EQ(table(sessions({"ls", "--index"}).out).size(), 2U);
}

TEST_F(SessionsTest, PauseAndResumeChangeOneFieldAndRepeatWithoutHarm) {
  fleet.session("s1", R"({"address":"http://a","tags":["x",1.5]})");
  EXPECT_EQ(sessions({"pause", "s1"}).err, "tenure: paused s1\n");
  EXPECT_EQ(text("s1"), R"({"address":"http://a","tags":["x",1.5E0],"interval_ms":10000,"paused":true})");
  const Result again = sessions({"pause", "s1"});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.err, "tenure: s1 is paused already\n");
  EXPECT_EQ(sessions({"resume", "s1"}).err, "tenure: resumed s1\n");
  EXPECT_EQ(sessions({"resume", "s1"}).err, "tenure: s1 is not paused\n");
}

TEST_F(SessionsTest, RmForgetsIt) {
  sessions({"add", "s1", "http://a"});
  const Result removed = sessions({"rm", "s1"});
  EXPECT_EQ(removed.code, 0);
  EXPECT_EQ(removed.err, "tenure: removed s1\n");
  EXPECT_EQ(keys(redis), Words{"poll:sessions:version"});
}

TEST_F(SessionsTest, WhatIsNotThereOrBadIsSaid) {
  for (const char* word : {"rm", "pause", "resume"}) {
    const Result result = sessions({word, "s1"});
    EXPECT_EQ(result.code, 1) << word;
    EXPECT_EQ(result.err, "tenure: there is no session s1\n");
  }
  EXPECT_TRUE(keys(redis).empty());
  fleet.session("bad", "{}");
  const Result bad = sessions({"pause", "bad"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.err, "tenure: bad is a bad session, and is not polled: it has no address\n");
  redis.command({"RPUSH", "session:list", "x"});
  const Result list = sessions({"add", "list", "http://a"});
  EXPECT_EQ(list.code, 73);
  EXPECT_EQ(list.err, "tenure: the key session:list is not a string: no session of Tenure's\n");
  redis.command({"SETRANGE", "session:huge", "10000000", "x"});
  EXPECT_TRUE(has(sessions({"add", "huge", "http://a", "--replace"}).err, "longer than 64 KiB; rm it first"));
}

TEST_F(SessionsTest, LsShowsOwnerTimeLeftAndTheLastResult) {
  fleet.session("s1", R"({"address":"http://me:secret@a","interval_ms":4000})");
  fleet.session("s2", R"({"address":"http://b","paused":true})");
  fleet.session("s3", R"({"address":"http://c"})");
  fleet.session("s4", "[]");
  fleet.result("s1", R"({"ok":true,"at":)" + wall_ms(30'000) + "}");
  fleet.result("s3", R"({"ok":false,"error":"no answer"})");
  lease(redis, "s1", "web-1");
  const Result ls = sessions({"ls"});
  EXPECT_EQ(ls.code, 0) << ls.err;
  const auto rows = table(ls.out);
  ASSERT_EQ(rows.size(), 5U) << ls.out;
  EXPECT_EQ(rows[0], (Words{"ID", "ADDRESS", "EVERY", "PAUSED", "OWNER", "LEFT", "LAST"}));
  EXPECT_EQ(rows[1][1], "http://***@a");
  EXPECT_EQ(rows[1][4], "web-1");
  EXPECT_EQ(rows[1][5], "25s");
  EXPECT_EQ(rows[1][6], "ok");
  EXPECT_TRUE(rows[1][7] == "30s" || rows[1][7] == "31s") << ls.out;
  EXPECT_EQ(rows[2], (Words{"s2", "http://b", "10s", "yes", "-", "-", "never"}));
  EXPECT_EQ(rows[3], (Words{"s3", "http://c", "10s", "no", "nobody", "-", "error"}));
  EXPECT_TRUE(has(ls.out, "s4  bad: its text is JSON, but not an object")) << ls.out;
  const Result json = sessions({"ls", "--json"});
  EXPECT_TRUE(has(json.out,
                  R"({"id": "s3", "address": "http://c", "interval_ms": 10000, "paused": false, )"
                  R"("state": "free", "owner": null, "token": null, "left_ms": null, )"
                  R"("result": {"ok": false, "error": "no answer", "at_ms": null, "took_ms": null, )"
                  R"("token": 17}})"))
      << json.out;
  EXPECT_TRUE(has(json.out, R"("bad": [{"id": "s4", "why": "its text is JSON, but not an object"}])"));
  EXPECT_FALSE(has(ls.out + json.out, "secret"));
}

TEST_F(SessionsTest, OfNothingLsSaysSo) {
  const Result ls = sessions({"ls"});
  EXPECT_EQ(ls.code, 0);
  EXPECT_EQ(ls.out, "");
  EXPECT_EQ(ls.err, "tenure: there are no sessions; one would be the key session:ID\n");
  EXPECT_EQ(sessions({"ls", "--json"}).out, "{\"sessions\": [], \"bad\": []}\n");
}

TEST_F(SessionsTest, BadWordsAreNamedAndChangeNothing) {
  const auto says = [&](const Words& words) {
    const Result result = sessions(words);
    EXPECT_EQ(result.code, 64) << result.err;
    return result.err;
  };
  EXPECT_TRUE(has(says({}), "sessions knows add, rm, pause, resume and ls"));
  EXPECT_TRUE(has(says({"delete"}), "\"delete\""));
  EXPECT_TRUE(has(says({"add", "s1"}), "ADDRESS is required"));
  EXPECT_TRUE(has(says({"add", "s1", "ftp://a"}), "does not begin with http:// or https://"));
  EXPECT_TRUE(has(says({"add", "s1", "http://[::1"}), "its closing bracket is missing"));
  EXPECT_TRUE(
      has(says({"add", "s1", "http://a:99999/"}), "the port in the address is not between 1 and 65535"));
  EXPECT_TRUE(has(says({"add", "s1", "http://a", "--every", "1s"}), "not between 4s and 2m"));
  EXPECT_TRUE(has(says({"add", "s1", "http://a", "--every", "121s"}), "not between 4s and 2m"));
  EXPECT_TRUE(has(says({"add", "", "http://a"}), "the session id is empty"));
  EXPECT_TRUE(has(says({"rm", std::string("a\nb")}), "control character"));
  EXPECT_TRUE(has(says({"ls", "--data", "nonsense"}), "--data: bad Redis address"));
  EXPECT_TRUE(has(says({"ls", "--fleet", ""}), "the fleet's name is empty"));
  EXPECT_TRUE(keys(redis).empty());
  EXPECT_EQ(sessions({"add", "s1", "/dev/ttyS0", "--any-address"}).code, 0);
}

TEST_F(SessionsTest, ARedisThatDoesNotAnswerIsNamed) {
  redis.kill();
  for (const Words& words :
       std::vector<Words>{{"add", "s1", "http://a"}, {"rm", "s1"}, {"pause", "s1"}, {"ls"}}) {
    const Result result = sessions(words);
    EXPECT_EQ(result.code, 69) << words.front();
    EXPECT_TRUE(has(result.err, redis.url() + ": ")) << result.err;
  }
}

TEST_F(SessionsTest, DataMayLiveOnAnotherRedis) {
  RedisServer data;
  EXPECT_EQ(sessions({"add", "s1", "http://a", "--data", data.url()}).code, 0);
  EXPECT_TRUE(keys(redis).empty());
  lease(redis, "s1", "web-1");
  EXPECT_EQ(row_of(sessions({"ls", "--data", data.url()}).out, "s1").at(4), "web-1");
}

TEST_F(SessionsTest, FleetAndPrefixCanBeChosen) {
  EXPECT_EQ(sessions({"add", "s1", "http://a", "--fleet", "f", "--session-prefix", "x*:"}).code, 0);
  EXPECT_EQ(keys(redis), (Words{"f:sessions", "f:sessions:version", "x*:s1"}));
}

// Many at the same time: each change is made on what was seen, or again.
TEST_F(SessionsTest, ChangesOfSeveralAtOnceAreAllMade) {
  fleet.session("s1", R"({"address":"http://a"})");
  std::vector<std::unique_ptr<Process>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(start_tenure({"sessions", "pause", "s1", "--redis", redis.url()}));
    all.push_back(start_tenure(
        {"sessions", "add", "s1", "http://" + std::to_string(i), "--replace", "--redis", redis.url()}));
  }
  for (const auto& process : all) EXPECT_EQ(process->exit_code(), 0) << process->err();
  EXPECT_TRUE(has(text("s1"), R"("paused":true)")) << text("s1");
  EXPECT_FALSE(has(text("s1"), "http://a")) << text("s1");
}

}  // namespace
}  // namespace tenure::test
