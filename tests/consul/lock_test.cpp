// Locks on a real Consul, by the public API.
#include <thread>

#include "consul/consul_client.hpp"
#include "runtime/boot_clock.hpp"
#include "support/oracle.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

TEST_F(OnConsul, AWaiterHasTheNameAsSoonAsItIsGivenBack) {
  const Client one = client("web-1");
  const Client two = client("web-2");
  auto held = one.lock("job").try_acquire().value();
  const auto refused = two.lock("job").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::held);
  EXPECT_NE(refused.error().message.find("web-1"), std::string::npos) << refused.error().message;

  core::Time got{};
  std::uint64_t token = 0;
  std::jthread waiter([&] {
    auto lease = two.lock("job").acquire({.wait_max = 20s});
    ASSERT_TRUE(lease) << lease.error().message;
    got = runtime::boot_now();
    token = lease->token();
  });
  std::this_thread::sleep_for(500ms);
  const core::Time given = runtime::boot_now();
  EXPECT_TRUE(held.release());
  waiter.join();
  EXPECT_GT(token, held.token());
  EXPECT_GE(got, given);
  EXPECT_LT(got - given, 2s) << "it waits for the end of the lease, as if nobody had told";
  RecordProperty("hand_over_us", std::to_string((got - given) / 1us));
}

TEST_F(OnConsul, LeasesAreRenewedByOneSessionAndEndOneByOne) {
  const Client one = client("alone");
  const LockOptions short_ones{.ttl = 10s};
  auto first = one.lock("a", short_ones).try_acquire().value();
  auto second = one.lock("b", short_ones).try_acquire().value();
  EXPECT_EQ(sessions_of("alone"), 1U);
  EXPECT_EQ(session_that_holds("a"), session_that_holds("b"));
  EXPECT_GT(second.token(), first.token());
  EXPECT_TRUE(first.release());
  EXPECT_EQ(session_that_holds("a"), "");
  const auto deadline = second.deadline();
  ASSERT_TRUE(wait_until([&] { return second.deadline() > deadline; }, 8s)) << "it is renewed";
  EXPECT_TRUE(second.held());
  EXPECT_NE(session_that_holds("b"), "");

  const auto again = one.lock("b", short_ones).try_acquire();
  ASSERT_FALSE(again) << "the same session would be given it again";
  EXPECT_EQ(again.error().code, Refusal::Code::held);
}

TEST_F(OnConsul, NothingStaysBehindButTheRecordAndTheFence) {
  {
    const Client one = client("alone");
    auto lease = one.lock("a/b c").try_acquire().value();
    EXPECT_NE(shown().find(prefix + "/a/b c/.lock"), std::string::npos) << shown();
    EXPECT_TRUE(lease.release());
    auto abandoned = one.lock("c").try_acquire().value();
  }
  EXPECT_TRUE(wait_until([&] { return sessions_of("alone") == 0; }, 2s)) << sessions();
  EXPECT_EQ(shown().find(".lock"), std::string::npos) << shown();
  EXPECT_NE(shown().find(".tenure/record"), std::string::npos);
}

TEST_F(OnConsul, WhatItCannotKeepIsRefusedWithASentence) {
  const Client one = client("web-1");
  for (const auto ttl : {9'999ms, 100ms}) {
    const auto refused = one.lock("job", {.ttl = ttl}).try_acquire();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Refusal::Code::usage);
    EXPECT_NE(refused.error().message.find("10s"), std::string::npos) << refused.error().message;
  }
  EXPECT_FALSE(one.election("job", {.lease = 5s}));
  EXPECT_TRUE(one.election("job", {.lease = 10s}));
  EXPECT_FALSE(one.fleet());
  ClientOptions several = options("web-1");
  several.nodes.push_back("consul://127.0.0.1:1/other");
  const auto refused = Client::open(several);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("one node"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(one.lock("../other").try_acquire());
}

TEST_F(OnConsul, WhoseSessionIsDestroyedByHandIsToldAtItsNextRenewal) {
  const Client one = client("web-1");
  auto lease = one.lock("job", {.ttl = 10s}).try_acquire().value();
  const std::string session = session_that_holds("job");
  ASSERT_NE(session, "");
  ASSERT_EQ(server.request("PUT", "/v1/session/destroy/" + session).status, 200);
  ASSERT_TRUE(wait_until([&] { return lease.lost().stop_requested(); }, 6s));
  EXPECT_FALSE(lease.held());
  EXPECT_EQ(lease.loss(), Loss::missing);
  EXPECT_TRUE(one.lock("job", {.ttl = 10s}).acquire({.wait_max = 15s})) << "with another session";
}

TEST_F(OnConsul, WhoseKeyIsDeletedOrTakenByHandIsToldAtItsNextRenewal) {
  const Client one = client("web-1");
  auto deleted = one.lock("deleted", {.ttl = 10s}).try_acquire().value();
  auto taken = one.lock("taken", {.ttl = 10s}).try_acquire().value();
  auto kept = one.lock("kept", {.ttl = 10s}).try_acquire().value();
  server.request("DELETE", "/v1/kv/" + prefix + "/deleted/.lock");
  server.request("DELETE", "/v1/kv/" + prefix + "/taken/.lock");
  const Client two = client("web-2");
  auto taker = two.lock("taken", {.ttl = 10s}).try_acquire();
  ASSERT_TRUE(taker);
  EXPECT_GT(taker->token(), taken.token());
  ASSERT_TRUE(
      wait_until([&] { return deleted.lost().stop_requested() && taken.lost().stop_requested(); }, 6s));
  EXPECT_EQ(deleted.loss(), Loss::missing);
  EXPECT_TRUE(kept.held()) << "of the same session";
  EXPECT_TRUE(taker->held());
  EXPECT_FALSE(taken.release() && session_that_holds("taken").empty()) << "another's stays";
  EXPECT_TRUE(taker->held());
}

TEST_F(OnConsul, FourClientsThatWantOneNameHaveItOneAfterTheOther) {
  Oracle oracle;
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < 4; ++i) {
      all.emplace_back([&, i] {
        const Client one = client("web-" + std::to_string(i));
        for (int round = 0; round < 10; ++round) {
          auto lease = one.lock("job").acquire({.wait_max = 60s});
          ASSERT_TRUE(lease) << lease.error().message;
          const Watch watch(oracle, "web-" + std::to_string(i), *lease);
          std::this_thread::sleep_for(10ms);
          EXPECT_TRUE(lease->release());
        }
      });
    }
  }
  oracle.judge();
}

}  // namespace
}  // namespace tenure::test
