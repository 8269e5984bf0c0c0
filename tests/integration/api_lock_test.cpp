// Locks as users write them: L2–L7, L12, T35.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "integration/api.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Code = Refusal::Code;

TEST(ApiLock, TheSecondKeeperIsToldWhoRunsAndForHowLong) {  // L2, L7
  Nodes nodes(1);
  const Client one = open(nodes, "keeper-1");
  const Client two = open(nodes, "keeper-2");
  const auto lease = one.lock("pricing-oracle-keeper").try_acquire();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->name(), "pricing-oracle-keeper");
  EXPECT_TRUE(lease->held());
  const auto refused = two.lock("pricing-oracle-keeper").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::held);
  ASSERT_TRUE(refused.error().holder);
  EXPECT_EQ(refused.error().holder->owner, "keeper-1");
  EXPECT_EQ(refused.error().holder->token, lease->token());
  EXPECT_GT(refused.error().holder->left, 20s);
  EXPECT_EQ(refused.error().message.find("pricing-oracle-keeper is held by keeper-1 for another "), 0U)
      << refused.error().message;
}

TEST(ApiLock, ALeaseRenewsItselfAndIsGivenBackWhenItGoes) {  // L5, L6
  Nodes nodes(3);
  const Client client = open(nodes);
  {
    const auto lease = client.lock("a", short_lease()).try_acquire();
    ASSERT_TRUE(lease);
    const auto before = lease->deadline();
    ASSERT_TRUE(wait_until([&] { return lease->deadline() > before + 500ms; }));
    EXPECT_TRUE(lease->held());
    EXPECT_FALSE(lease->lost().stop_requested());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto left = nodes[i].command({"PTTL", "redlock:a"}).integer;
      EXPECT_TRUE(left > 0 && left <= 1000) << left;
    }
  }
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
}

TEST(ApiLock, ReleaseSaysHowItWent) {  // L3, T17, T45
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->release(), Released::released);
  EXPECT_EQ(lease->release(), Released::released) << "it is idempotent (P3)";
  EXPECT_FALSE(lease->held());
  auto gone = client.lock("a").try_acquire();
  nodes[0].command({"DEL", "redlock:a"});
  EXPECT_EQ(gone->release(), Released::expired);
  auto taken = client.lock("a").try_acquire();
  nodes[0].command({"SET", "redlock:a", "somebody"});
  EXPECT_EQ(taken->release(), Released::taken);
  EXPECT_EQ(nodes[0].command({"GET", "redlock:a"}).text, "somebody");
}

TEST(ApiLock, AReleaseThatFailsNamesTheNodesAndMayBeRepeated) {  // T15
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a", {.ttl = 5s, .node_timeout = 200ms}).try_acquire();
  ASSERT_TRUE(lease);
  nodes[0].pause();
  const auto failed = lease->release();
  nodes[0].resume();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::no_quorum);
  ASSERT_EQ(failed.error().failed.size(), 1U);
  EXPECT_EQ(failed.error().failed[0].address, urls_of(nodes)[0]);
  EXPECT_TRUE(failed.error().message.starts_with("could not release a, which ends by itself within 5s: " +
                                                 urls_of(nodes)[0]))
      << failed.error().message;
  EXPECT_TRUE(lease->release());
  EXPECT_TRUE(nodes.none_has("redlock:a"));
}

TEST(ApiLock, ALeaseSaysHowLongItsPartsAre) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const auto usual = client.lock("a", {.ttl = 6s}).try_acquire();
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->ttl(), 6s);
  EXPECT_EQ(usual->grace(), 1s);
  const auto chosen = client.lock("b", {.ttl = 6s, .grace = 2s}).try_acquire();
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->grace(), 2s);
}

TEST(ApiLock, ALossIsDescribedForAPerson) {
  EXPECT_EQ(describe(Loss::not_renewed), "it could not be renewed in time");
  EXPECT_EQ(describe(Loss::taken), "its key in the store shows another grant");
  EXPECT_EQ(describe(Loss::hold_over), "it was held as long as it may be");
}

TEST(ApiLock, ExtendRenewsNow) {  // L3
  Nodes nodes(3);
  const Client client = open(nodes);
  auto lease = client.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  const auto before = lease->deadline();
  const auto extended = lease->extend();
  ASSERT_TRUE(extended) << extended.error().message;
  EXPECT_GT(*extended, before);
  EXPECT_EQ(lease->deadline(), *extended);
}

TEST(ApiLock, ExtendOfWhatIsGoneIsALossAndNoSuccess) {  // T4, T33
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a").try_acquire();
  nodes[0].command({"DEL", "redlock:a"});
  const auto extended = lease->extend();
  ASSERT_FALSE(extended);
  EXPECT_EQ(extended.error().code, Code::lost);
  EXPECT_FALSE(lease->held());
  EXPECT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }));
  EXPECT_EQ(lease->loss(), Loss::missing);
  EXPECT_FALSE(lease->extend()) << "and it stays so";
}

TEST(ApiLock, ExtendWithoutAnswerLeavesTheLeaseHeldUntilItsDeadline) {
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a", {.ttl = 20s, .node_timeout = 200ms}).try_acquire();
  ASSERT_TRUE(lease);
  nodes[0].pause();
  const auto extended = lease->extend();
  EXPECT_TRUE(lease->held());
  nodes[0].resume();
  ASSERT_FALSE(extended);
  EXPECT_EQ(extended.error().code, Code::no_quorum);
}

TEST(ApiLock, ManyMayExtendAndReleaseTheSameLeaseAtOnce) {
  Nodes nodes(1);
  const Client client = open(nodes);
  for (int round = 0; round < 20; ++round) {
    auto lease = client.lock("a").try_acquire();
    ASSERT_TRUE(lease);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (lease->extend()) {
        }
      });
    }
    threads.emplace_back([&] { EXPECT_EQ(lease->release(), Released::released); });
  }
}

TEST(ApiLock, AStuckHolderDoesNotRenewForEver) {
  Nodes nodes(1);
  const Client client = open(nodes);
  LockOptions options = short_lease();
  options.hold_max = 1500ms;
  const auto begun = BootClock::now();
  const auto lease = client.lock("a", options).try_acquire();
  ASSERT_TRUE(lease);
  ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }));
  EXPECT_EQ(lease->loss(), Loss::hold_over);
  EXPECT_LE(lease->deadline(), BootClock::now() + 200ms);
  EXPECT_GE(lease->deadline(), begun + 1500ms) << "not before its time";
  ASSERT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); })) << "nobody renews it any more";
}

TEST(ApiLock, RetriesAreCounted) {  // L4, T25
  Nodes nodes(1);
  const Client one = open(nodes);
  const Client two = open(nodes);
  const auto lease = one.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  ASSERT_FALSE(two.lock("a").try_acquire());  // connected, scripts known
  const auto before = calls_of(nodes[0], "evalsha");
  const auto refused = two.lock("a").acquire({.retries = 3, .retry_delay = 10ms});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::held);
  EXPECT_EQ(calls_of(nodes[0], "evalsha") - before, 4);
}

TEST(ApiLock, AWaitEndsByItsTimeByItsTokenOrByClosing) {  // L4
  Nodes nodes(1);
  const Client one = open(nodes, "one");
  Client two = open(nodes);
  const auto lease = one.lock("a").try_acquire();
  const auto waited = two.lock("a").acquire({.wait_max = 50ms});
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, Code::waited);
  EXPECT_EQ(waited.error().holder.value().owner, "one");

  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(two.lock("a").acquire({}, stop.get_token()).error().code, Code::cancelled);

  std::atomic<bool> waits = false;
  std::jthread closer([&] {
    wait_until([&] { return waits.load(); });
    two.close();
  });
  const auto closed = two.lock("a").acquire({.on_waiting = [&](const Refusal& why) {
    EXPECT_EQ(why.code, Code::held);
    EXPECT_TRUE(why.message.starts_with("waiting for a: held by one for another ")) << why.message;
    waits = true;
  }});
  EXPECT_EQ(closed.error().code, Code::closed);
  EXPECT_TRUE(wait_until([&] { return tickets(nodes[0], "redlock:a").empty(); }));
}

TEST(ApiLock, WorkIsDoneUnderALockThatIsGivenBackAfterIt) {
  Nodes nodes(1);
  const Client client = open(nodes);
  bool worked = false;
  const auto done = client.with_lock("a", [&](const Lease& lease) {
    worked = lease.held() && nodes[0].command({"EXISTS", "redlock:a"}).integer == 1;
  });
  EXPECT_TRUE(done);
  EXPECT_TRUE(worked);
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
}

TEST(ApiLock, WhatTheWorkThrowsComesOutAndTheLockIsGivenBack) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const auto work = [](const Lease&) { throw std::runtime_error("oh"); };
  EXPECT_THROW((void)client.with_lock("a", work), std::runtime_error);
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
}

TEST(ApiLock, WorkIsNotBegunWithoutTheLockAndALossMeanwhileIsTold) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const auto other = open(nodes, "other").lock("a").try_acquire();
  ASSERT_TRUE(other);
  bool worked = false;
  const auto work = [&](const Lease&) { worked = true; };
  const auto refused = client.with_lock("a", work, {}, {.wait_max = 0ms});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::held);
  EXPECT_FALSE(worked);

  const auto lost = client.with_lock(
      "b",
      [&](const Lease& lease) {
        nodes[0].command({"DEL", "redlock:b"});
        EXPECT_TRUE(wait_until([&] { return lease.lost().stop_requested(); }));
      },
      short_lease());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::lost);
  EXPECT_EQ(lost.error().message, "b was lost before the work had ended: " + describe(Loss::missing));
}

TEST(ApiLock, WorkThatEndsBecauseItWasToldToIsNoSuccess) {
  Nodes nodes(1);
  const Client client = open(nodes);
  // With a long grace, so that the lease is still held when the work has obeyed, also on a machine that has much else to do.
  const LockOptions options{.ttl = 12s, .grace = 6s, .node_timeout = 200ms, .hold_max = 12s};
  bool held = false;
  const auto over = client.with_lock(
      "a",
      [&](const Lease& lease) {
        EXPECT_TRUE(wait_until([&] { return lease.lost().stop_requested(); }, 30s));
        held = lease.held();
      },
      options);
  EXPECT_TRUE(held) << "it was told too late";
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::lost);
  EXPECT_EQ(over.error().message, "a was lost before the work had ended: " + describe(Loss::hold_over));
}

TEST(ApiLock, SeveralNamesAreAllTakenOrNone) {  // T35
  Nodes nodes(1);
  const Client one = open(nodes, "one");
  const Client two = open(nodes, "two");
  const auto all = one.acquire_all({"c", "a", "b"});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ(all->at(0).name(), "c");
  EXPECT_EQ(all->at(1).name(), "a");
  EXPECT_LT(all->at(1).token(), all->at(0).token()) << "a was taken first";
  const auto refused = two.acquire_all({"x", "0", "b"}, {}, {.wait_max = 0ms});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::held);
  EXPECT_NE(refused.error().message.find("b is held by one"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:x"); }));
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:0"); }));
  EXPECT_EQ(two.acquire_all({"x", "y", "x"}).error().code, Code::usage);
  EXPECT_TRUE(two.acquire_all({})->empty());
}

TEST(ApiLock, SeveralNamesAreRefusedWhenOneIsLostWhileAnotherIsWaitedFor) {  // T35
  Nodes nodes(1);
  const Client one = open(nodes);
  const Client two = open(nodes);
  const auto held = one.lock("b").try_acquire();
  ASSERT_TRUE(held);
  LockOptions options = short_lease();
  options.hold_max = 1s;
  const auto refused = two.acquire_all({"a", "b"}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::lost);
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
  EXPECT_TRUE(tickets(nodes[0], "redlock:b").empty());
}

TEST(ApiLock, TwoWhoWantTheSameNamesInAnotherOrderDoNotBlockEachOther) {  // T35
  Nodes nodes(1);
  std::atomic<int> inside = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const Client client = open(nodes);
      for (int round = 0; round < 10; ++round) {
        const auto both = client.acquire_all(i % 2 == 0 ? std::vector<std::string>{"a", "b"}
                                                        : std::vector<std::string>{"b", "a"});
        ASSERT_TRUE(both) << both.error().message;
        EXPECT_EQ(inside.fetch_add(1), 0);
        inside -= 1;
      }
    });
  }
}

TEST(ApiLock, ManyThreadsOfOneClientTakeTurns) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const Lock lock = client.lock("a");
  std::atomic<int> inside = 0;
  std::uint64_t last = 0;  // guarded by the lock under test
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        const auto lease = lock.acquire();
        ASSERT_TRUE(lease) << lease.error().message;
        EXPECT_EQ(inside.fetch_add(1), 0);
        EXPECT_GT(lease->token(), last);
        last = lease->token();
        inside -= 1;
      }
    });
  }
}

TEST(ApiLock, NobodyWaitsForAServerThatCannotKeepLeases) {
  const RedisServer server({.arguments = {"--rename-command", "INFO", ""}});
  ClientOptions options;
  options.nodes = {server.url()};
  const Client client = Client::open(std::move(options)).value();
  const auto refused = client.lock("a").acquire({.wait_max = 60s});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::no_quorum);
  EXPECT_TRUE(refused.error().denied);
  EXPECT_EQ(refused.error().message,
            server.url() +
                ": the server does not know the command INFO (renamed, disabled, or no Redis of version 7): "
                "enable it there, or use another server");
}

// Whether answers come while somebody looks, or not, changes nothing but the time that it takes.
TEST(ApiLock, CallersMaySpin) {
  Nodes nodes(1);
  ClientOptions options = options_for(nodes);
  options.spin = std::chrono::microseconds(200);
  const Client client = Client::open(std::move(options)).value();
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&client] {
      for (int i = 0; i < 50; ++i) {
        auto lease = client.lock("a").acquire();
        ASSERT_TRUE(lease) << lease.error().message;
        EXPECT_TRUE(lease->held());
        EXPECT_TRUE(lease->release());
      }
    });
  }
}

}  // namespace
}  // namespace tenure::test
