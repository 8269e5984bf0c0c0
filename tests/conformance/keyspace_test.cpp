#include "sim/keyspace.hpp"

#include <gtest/gtest.h>

#include "sim/redis_model.hpp"

namespace tenure::sim {
namespace {

using redis::Value;

constexpr std::int64_t start = 1'790'000'000'000'000;  // on a whole millisecond
constexpr std::int64_t ms = 1000;

class ANode : public testing::Test {
 protected:
  Value run(const redis::Command& command, std::int64_t now = start) { return node.run(command, now); }

  ScriptHost host;
  RedisModel node{host};
};

TEST_F(ANode, KeepsAKeyThroughTheMillisecondOfItsExpiry) {
  run({"SET", "key", "value", "PX", "30"});
  EXPECT_EQ(run({"GET", "key"}, start + 30 * ms + 999), Value::string("value"));
  EXPECT_EQ(run({"PTTL", "key"}, start + 30 * ms), Value::of(0));
  EXPECT_EQ(run({"GET", "key"}, start + 31 * ms), Value::nil());
}

TEST_F(ANode, CountsATtlFromTheMillisecondThatItIsIn) {
  run({"SET", "key", "value", "PX", "30"}, start + 999);
  EXPECT_EQ(node.data().expiry("key", start), start / ms + 30);
}

TEST_F(ANode, DeletesAnExpiredKeyOnlyWhenSomebodyComesAcrossIt) {
  run({"SET", "key", "value", "PX", "30"});
  const NodeTime later = start + 31 * ms;
  EXPECT_EQ(node.data().get("key", start + 31 * ms), nullptr);
  EXPECT_TRUE(node.data().keys(later).empty());
  // Its clock stepped back before anybody touched it: the key is there again, as in Redis.
  EXPECT_NE(node.data().get("key", start), nullptr);
  EXPECT_EQ(run({"EXISTS", "key"}, start + 31 * ms), Value::of(0));
  EXPECT_EQ(node.data().get("key", start), nullptr);
}

TEST_F(ANode, CountsAnExpiredKeyAsNotDeleted) {
  run({"SET", "key", "value", "PX", "30"});
  EXPECT_EQ(run({"DEL", "key"}, start + 31 * ms), Value::of(0));
}

TEST_F(ANode, SetsAnExpiredKeyAsIfItWereAbsent) {
  run({"SET", "key", "old", "PX", "30"});
  EXPECT_EQ(run({"SET", "key", "new", "NX", "GET", "PX", "30"}, start + 31 * ms), Value::nil());
  EXPECT_EQ(run({"SET", "key", "newer", "NX", "GET", "PX", "30"}, start + 40 * ms), Value::string("new"));
  EXPECT_EQ(node.data().expiry("key", start + 40 * ms), start / ms + 61);
}

TEST_F(ANode, ForgetsTheExpiryOfAKeyThatIsSetAnewUnlessToldToKeepIt) {
  run({"SET", "key", "a", "PX", "30"});
  run({"SET", "key", "b", "XX", "KEEPTTL"});
  EXPECT_EQ(node.data().expiry("key", start), start / ms + 30);
  run({"SET", "key", "c"});
  EXPECT_EQ(node.data().expiry("key", start), std::nullopt);
}

TEST_F(ANode, CountsUpToTheLargestNumberAndNotBeyond) {
  run({"SET", "fence", "9223372036854775806"});
  EXPECT_EQ(run({"INCR", "fence"}), Value::of(INT64_MAX));
  EXPECT_EQ(run({"INCR", "fence"}), Value::error("ERR increment or decrement would overflow"));
  EXPECT_EQ(*node.data().get("fence", start), "9223372036854775807");
}

TEST_F(ANode, CountsFromNothingAndKeepsTheExpiry) {
  EXPECT_EQ(run({"INCR", "fence"}), Value::of(1));
  run({"PEXPIRE", "fence", "30"});
  EXPECT_EQ(run({"INCR", "fence"}), Value::of(2));
  EXPECT_EQ(node.data().expiry("fence", start), start / ms + 30);
}

TEST_F(ANode, ShowsItsKeysInOrderAndNoTextForAList) {
  run({"SET", "b", "1"});
  run({"LPUSH", "c", "1"});
  run({"SET", "a", "1"});
  EXPECT_EQ(node.data().keys(start), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(node.data().get("c", start), nullptr);
}

TEST_F(ANode, LetsTimeStandStillInsideAScript) {
  const Value times = run({"EVAL", "return {redis.call('TIME'), redis.call('TIME')}", "0"}, start + 7);
  const Value now = Value::array({Value::string("1790000000"), Value::string("7")});
  EXPECT_EQ(times, Value::array({now, now}));
}

}  // namespace
}  // namespace tenure::sim
