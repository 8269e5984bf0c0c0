// Real short TTLs and real waiting: keys end at the same time in both.
#include <gtest/gtest.h>

#include "sim/redis/redis_model.hpp"
#include "support/redis_server.hpp"
#include "support/wait.hpp"

namespace tenure::conformance {
namespace {

sim::NodeTime time_of(test::RedisServer& real) {
  const auto time = real.command({"TIME"});
  return std::stoll(time.items.at(0).text) * 1'000'000 + std::stoll(time.items.at(1).text);
}

// Real time passes between two commands, so one model takes its lease a moment before the real Redis
// and another one a moment after: the real lease must end between the two.
TEST(Expiry, ALeaseEndsWhenRedisEndsIt) {
  test::RedisServer real;
  sim::ScriptHost host;
  sim::RedisModel early(host);
  sim::RedisModel late(host);
  const redis::Keyspace names;
  const redis::Command record{"SET", names.record(), "60000 1 e open life 1 1 60000 new"};
  const redis::Command fence{"SET", names.fence(), "1790000000000000"};
  const redis::Command acquire{"EVAL",
                               std::string(redis::acquire_script.body),
                               "3",
                               "redlock:short",
                               names.record(),
                               names.fence(),
                               "60000 1 e open ",
                               "web#nonce#",
                               "30"};
  const redis::Command get{"GET", "redlock:short"};
  for (const auto& command : {record, fence}) {
    real.command(command);
    early.run(command, 0);
    late.run(command, 0);
  }

  const auto granted = early.run(acquire, time_of(real));
  EXPECT_EQ(real.command(acquire), granted);
  EXPECT_EQ(late.run(acquire, time_of(real)), granted);
  ASSERT_EQ(granted, redis::Value::of(1'790'000'000'000'001));

  int seen = 0;
  const bool ended = test::wait_until([&] {
    const auto before = time_of(real);
    const bool lives = real.command(get).kind != redis::Value::Kind::nil;
    const auto after = time_of(real);
    if (lives) {
      seen += 1;
      EXPECT_NE(late.run(get, before).kind, redis::Value::Kind::nil);
    } else {
      EXPECT_EQ(early.run(get, after).kind, redis::Value::Kind::nil);
    }
    return !lives;
  });
  EXPECT_TRUE(ended);
  RecordProperty("seen", seen);
}

}  // namespace
}  // namespace tenure::conformance
