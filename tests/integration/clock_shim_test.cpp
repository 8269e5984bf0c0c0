// Does a redis-server that is started with a clock of the test's own live by it?
#include "support/clock_shim.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/redis_server.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// How far the server's clock is ahead of ours.
std::chrono::milliseconds ahead(RedisServer& server) {
  const auto here = std::chrono::system_clock::now().time_since_epoch();
  const auto time = server.command({"TIME"});
  const std::chrono::microseconds there = std::chrono::seconds(std::stoll(time.items.at(0).text)) +
                                          std::chrono::microseconds(std::stoll(time.items.at(1).text));
  return std::chrono::duration_cast<std::chrono::milliseconds>(there - here);
}

void expect_ahead(RedisServer& server, std::chrono::milliseconds by) {
  const auto found = ahead(server);
  EXPECT_GE(found, by - 1ms);
  EXPECT_LE(found, by + 2s) << "a busy machine may take some time to ask";
}

TEST(ClockShim, TimeAndExpiryOfTheServerFollowItsStepsThereAndBack) {
  ClockShim clock;
  RedisServer server({.environment = clock.environment()});
  expect_ahead(server, 0ms);
  server.command({"SET", "a", "1", "PX", "60000"});
  server.command({"SET", "b", "1", "PX", "10000"});

  clock.step(31s);
  expect_ahead(server, 31s);
  EXPECT_EQ(server.command({"EXISTS", "a"}).integer, 1);
  EXPECT_EQ(server.command({"EXISTS", "b"}).integer, 0);
  EXPECT_LE(server.command({"PTTL", "a"}).integer, 29'000);

  clock.step(-62'500ms);
  expect_ahead(server, -31'500ms);
  EXPECT_GT(server.command({"PTTL", "a"}).integer, 60'000);
}

TEST(ClockShim, AStepBackLeavesTheServerAliveAndASecondServerAlone) {
  ClockShim clock;
  RedisServer server({.environment = clock.environment()});
  RedisServer other;
  for (int hour = 0; hour < 3; ++hour) clock.step(-1h);
  // Longer than the second in which its cron and its active expiry have had their turn.
  std::this_thread::sleep_for(1200ms);
  expect_ahead(server, -3h);
  expect_ahead(other, 0ms);
  server.restart();
  expect_ahead(server, -3h);
}

}  // namespace
}  // namespace tenure::test
