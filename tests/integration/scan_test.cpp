// Scans of a Redis that is honest, and of one that never ends them or names what was not asked for.
#include "redis/net/scan.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/fake_server.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;
using redis::Caller;

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

std::string page(const std::string& cursor, const std::vector<std::string>& keys) {
  std::string bytes = "*2\r\n" + bulk(cursor) + "*" + std::to_string(keys.size()) + "\r\n";
  for (const auto& key : keys) bytes += bulk(key);
  return bytes;
}

// What came of a scan of a server that always answers this.
struct Scanned {
  tl::expected<void, core::Failure> result{};
  std::size_t keys = 0;
};

Scanned scan_of(const std::string& answer, const redis::ScanLimits& limits) {
  const FakeServer server([&](const auto&) { return answer; });
  auto redis = Caller::connect(server.address(), 2s);
  Scanned scanned;
  const auto take = [&](const std::vector<std::string>& keys) -> tl::expected<void, core::Failure> {
    scanned.keys += keys.size();
    return {};
  };
  scanned.result = scan_keys(redis.value(), "session:", take, limits);
  return scanned;
}

TEST(Scan, NamesEveryKeyThatBeginsSo) {
  RedisServer server;
  for (int i = 0; i < 5'000; ++i) server.command({"SET", "a*:" + std::to_string(i), "x"});
  server.command({"SET", "ab:1", "x"});
  auto redis = Caller::connect(redis::parse_url(server.url()).value(), 2s);
  std::set<std::string> found;
  const auto take = [&](std::vector<std::string> keys) -> tl::expected<void, core::Failure> {
    for (auto& key : keys) found.insert(std::move(key));
    return {};
  };
  ASSERT_TRUE(scan_keys(redis.value(), "a*:", take));
  EXPECT_EQ(found.size(), 5'000U);
}

TEST(Scan, ThatNeverEndsIsGivenUpInTime) {
  const auto endless = scan_of(page("1", {}), {.time = 50ms});
  ASSERT_FALSE(endless.result);
  EXPECT_EQ(endless.result.error().code, FailureCode::protocol);
  EXPECT_EQ(endless.result.error().detail, "its scan does not end");
}

TEST(Scan, ThatNamesMoreAndMoreIsGivenUpBeforeMemoryIsFull) {
  const auto endless = scan_of(page("1", std::vector<std::string>(1'000, "session:x")), {.bytes = 1'000'000});
  ASSERT_FALSE(endless.result);
  EXPECT_EQ(endless.result.error().detail, "its scan does not end");
  EXPECT_LT(endless.keys, 30'000U);
}

TEST(Scan, ThatNamesWhatWasNotAskedForIsRefused) {
  for (const auto& key : {"", "s", "sessions:x", "other"}) {
    const auto wrong = scan_of(page("0", {"session:good", key}), {});
    ASSERT_FALSE(wrong.result) << key;
    EXPECT_EQ(wrong.result.error().code, FailureCode::protocol) << key;
  }
  for (const auto& answer :
       {"*2\r\n$1\r\n0\r\n*1\r\n:1\r\n", "*2\r\n$1\r\n0\r\n*1\r\n*0\r\n", "*0\r\n",
        "*3\r\n$1\r\n0\r\n*0\r\n*0\r\n", ":0\r\n", "*2\r\n$-1\r\n*0\r\n", "*2\r\n$3\r\none\r\n*0\r\n"}) {
    EXPECT_FALSE(scan_of(answer, {}).result) << answer;
  }
}

TEST(Calling, AnswersThatNobodyAskedForAreNotTakenForTheNext) {  // S13
  const FakeServer server([](const auto&) { return "+OK\r\n:1\r\n"; });
  auto redis = Caller::connect(server.address(), 2s);
  const auto answer = redis->call({"PING"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, FailureCode::protocol);
  EXPECT_EQ(redis->call({"PING"}).error().code, FailureCode::closed);
}

}  // namespace
}  // namespace tenure::test
