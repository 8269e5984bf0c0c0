// Ten thousand leases of one client: what they cost Redis, and the process that holds them.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>

#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t count = 10'000;
constexpr std::int64_t batch_max = 500;

std::string key(std::size_t i) { return "poll:lease:session-" + std::to_string(10'000'000'000 + i); }

runtime::AcquireOptions often_renewed() {
  runtime::AcquireOptions options;
  options.timing = core::make_timing({.ttl = 20s, .renew = 2s}).value();
  return options;
}

std::size_t bytes_in_use() { return mallinfo2().uordblks; }

class ManyLeasesTest : public ::testing::Test {
 protected:
  void acquire_all(const runtime::AcquireOptions& options) {
    leases_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto lease = client_.acquire(key(i), options);
      ASSERT_TRUE(lease) << static_cast<int>(lease.error().code);
      leases_.push_back(std::move(*lease));
    }
  }

  Nodes nodes_{1};
  RedisServer& server_ = nodes_[0];
  runtime::Client client_ = client_of(nodes_);
  std::vector<runtime::Lease> leases_;
};

TEST_F(ManyLeasesTest, AreRenewedInBatchesOfAtMostFiveHundred) {
  acquire_all(often_renewed());
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; i += 100) values.push_back(server_.command({"GET", key(i)}).text);
  // A call for 500 keys takes Redis several times that long, the commands in it far less.
  server_.command({"CONFIG", "SET", "slowlog-max-len", "2000"});
  server_.command({"CONFIG", "SET", "slowlog-log-slower-than", "100"});
  server_.command({"SLOWLOG", "RESET"});
  const auto before = calls_of(server_, "evalsha");
  std::vector<core::Time> deadlines;
  for (const auto& lease : leases_) deadlines.push_back(lease.deadline());

  ASSERT_TRUE(wait_until(
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          if (leases_[i].deadline() <= deadlines[i]) return false;
        }
        return true;
      },
      30s));

  const auto calls = calls_of(server_, "evalsha") - before;
  std::int64_t keys = 0;
  for (const auto& entry : server_.command({"SLOWLOG", "GET", "-1"}).items) {
    const auto& command =
        entry.items.at(3).items;  // "EVALSHA", sha1, number of keys, …; or EVAL and the body
    if (command.size() < 3 || !command[0].text.starts_with("EVAL")) continue;
    const std::int64_t in_call = std::stoll(command[2].text) - 1;  // but for the record
    EXPECT_LE(in_call, batch_max);
    keys += in_call;
  }
  RecordProperty("calls", static_cast<int>(calls));
  EXPECT_GE(keys, static_cast<std::int64_t>(count));
  EXPECT_LE(calls, keys / batch_max + 5);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(leases_[i].held()) << i;
    if (i % 100 != 0) continue;
    EXPECT_EQ(server_.command({"GET", key(i)}).text, values[i / 100]);
  }
}

TEST_F(ManyLeasesTest, CostTheClientAtMostFourHundredBytesEach) {
  ASSERT_EQ(key(0).size(), 30U);
  mallopt(M_ARENA_MAX, 1);  // so that what other threads allocate is counted, too
  leases_.reserve(count);
  const auto seldom_renewed = wish(60s);  // requests that are under way are not what is measured
  static_cast<void>(client_.acquire("redlock:warm", seldom_renewed));  // connections and buffers
  const std::size_t before = bytes_in_use();
  acquire_all(seldom_renewed);
  if (bytes_in_use() == before) GTEST_SKIP() << "a sanitizer's malloc does not count";
  const std::size_t each = (bytes_in_use() - before) / count;
  RecordProperty("bytes_per_lease", static_cast<int>(each));
  std::printf("%zu bytes a lease\n", each);
  EXPECT_GE(each, 100U);
  EXPECT_LE(each, 400U);
}

}  // namespace
}  // namespace tenure::test
