#include "sim/redis/keyspace.hpp"

#include <gtest/gtest.h>

#include "sim/redis/redis_model.hpp"

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

TEST_F(ANode, HasNoEmptyLists) {
  run({"RPUSH", "queue", "a", "b", "a"});
  EXPECT_EQ(run({"LREM", "queue", "0", "a"}), Value::of(2));
  EXPECT_EQ(run({"LPOP", "queue"}), Value::string("b"));
  EXPECT_TRUE(node.data().keys(start).empty());
  run({"RPUSH", "queue", "a"});
  EXPECT_EQ(run({"LREM", "queue", "-1", "a"}), Value::of(1));
  EXPECT_EQ(run({"EXISTS", "queue"}), Value::of(0));
}

TEST_F(ANode, ComesBackWithTheDataThatItsOwnerKept) {
  run({"SET", "key", "old", "PX", "30"});
  run({"RPUSH", "queue", "a"});
  run({"HSET", "state", "token", "7"});
  const Keyspace kept = node.data();
  run({"SET", "key", "new"});
  run({"LPOP", "queue"});
  run({"HSET", "state", "token", "8"});

  node.data() = kept;
  EXPECT_EQ(*node.data().get("key", start), "old");
  EXPECT_EQ(node.data().expiry("key", start), start / ms + 30);
  EXPECT_EQ(run({"LRANGE", "queue", "0", "-1"}), Value::array({Value::string("a")}));
  EXPECT_EQ(run({"HGET", "state", "token"}), Value::string("7"));
}

TEST_F(ANode, ForgetsScriptsWhenItRestarts) {
  const redis::Command renew{"EVALSHA", std::string(redis::renew_script.sha1), "1", "record", "60000 1 ",
                             "5"};
  run({"SCRIPT", "LOAD", std::string(redis::renew_script.body)});
  EXPECT_EQ(run(renew), Value::array({}));
  node.forget_scripts();
  EXPECT_TRUE(run(renew).text.starts_with("NOSCRIPT"));
}

TEST_F(ANode, TellsWhoListens) {
  EXPECT_EQ(run({"PUBLISH", "channel", "message"}), Value::of(0));
  std::string heard;
  node.server().publish = [&](std::string_view channel, std::string_view message) {
    heard = std::string(channel) + " " + std::string(message);
    return std::size_t{2};
  };
  EXPECT_EQ(run({"EVAL", "return redis.call('PUBLISH', KEYS[1], 'message')", "1", "channel"}), Value::of(2));
  EXPECT_EQ(heard, "channel message");
}

TEST_F(ANode, ShowsTheLifeThatItIsIn) {
  node.server().run_id = "12ab";
  node.server().replid = "34cd";
  EXPECT_EQ(run({"INFO", "server"}), Value::string("# Server\r\nrun_id:12ab\r\n"));
  EXPECT_EQ(run({"INFO", "replication"}), Value::string("# Replication\r\nmaster_replid:34cd\r\n"));
}

TEST_F(ANode, LetsTimeStandStillInsideAScript) {
  const Value times = run({"EVAL", "return {redis.call('TIME'), redis.call('TIME')}", "0"}, start + 7);
  const Value now = Value::array({Value::string("1790000000"), Value::string("7")});
  EXPECT_EQ(times, Value::array({now, now}));
}

}  // namespace
}  // namespace tenure::sim
