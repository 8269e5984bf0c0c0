// tenure explain: one session, who has it and why.
#include <gtest/gtest.h>

#include "cli/fleet_facts.hpp"

namespace tenure::test {
namespace {

class ExplainTest : public testing::Test {
 protected:
  Result explain(const Words& words) {
    return tenure(Words{"explain"} + words + redis_options({redis.url()}));
  }

  RedisServer redis;
  FleetFacts fleet{redis};
};

TEST_F(ExplainTest, SaysWhatItIsWhoHasItAndWhy) {
  fleet.instance("web-1");
  fleet.session("s1", R"({"address":"http://me:secret@a","interval_ms":4000})");
  fleet.session("s2");
  lease(redis, "s1", "web-1");
  fleet.result("s1", R"({"ok":false,"error":"no answer"})");
  const Result result = explain({"s1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(
      result.out.starts_with("s1: http://***@a every 4s\nlease: held by web-1 for another 25s (token 17)\n"
                             "last result: error: no answer (token 17)\n\n"
                             "web-1 has it, and fits it best.\n\n"))
      << result.out;
  EXPECT_EQ(row_of(result.out, "RANK"), (Words{"RANK", "INSTANCE", "WEIGHT", "OWNED", "QUOTA", "ROOM"}));
  EXPECT_EQ(row_of(result.out, "1"), (Words{"1", "web-1", "1", "1", "2", "1", "under"}));
}

TEST_F(ExplainTest, WhatIsNotThereOrBadExitsWithOne) {
  const Result none = explain({"s1"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "tenure: there is no session s1\n");
  fleet.session("s1", "{}");
  const Result bad = explain({"s1"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.err, "tenure: s1 is a bad session, and is not polled: it has no address\n");
}

TEST_F(ExplainTest, BadWordsAreNamed) {
  EXPECT_EQ(explain({}).code, 64);
  EXPECT_TRUE(has(explain({}).err, "SESSION is required"));
  EXPECT_TRUE(has(explain({"a", "b"}).err, "\"b\" is one word too many"));
  EXPECT_TRUE(has(explain({""}).err, "the session id is empty"));
}

}  // namespace
}  // namespace tenure::test
