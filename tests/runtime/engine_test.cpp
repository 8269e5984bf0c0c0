// The engine over a store in memory: what threads do to each other, without a server and its time.
#include "runtime/engine/engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/boot_clock.hpp"
#include "runtime/engine/client.hpp"
#include "support/lease_client.hpp"
#include "support/memory_store.hpp"
#include "support/wait.hpp"

namespace tenure::runtime {
namespace {

using namespace std::chrono_literals;
using test::for_ever;
using test::MemoryStore;
using test::wait_until;
using test::wish;

class AnEngine : public testing::Test {
 protected:
  Client client(const std::string& owner) {
    ClientOptions options;
    options.nodes = {store.node()};
    options.owner = owner;
    options.terms = terms;
    return Client(std::move(options));
  }

  const core::Terms terms{core::Ttl(60'000), "1"};
  MemoryStore store{terms};
};

TEST_F(AnEngine, LetsManyThreadsHaveANameOneAfterTheOther) {
  Client one = client("web-1");
  Client other = client("web-2");
  std::atomic<int> inside = 0;
  std::atomic<int> rounds = 0;
  core::Token last = 0;  // guarded by the lease
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 50; ++round) {
          const auto lease = (i % 2 == 0 ? one : other).acquire("name", wish(30s, for_ever));
          ASSERT_TRUE(lease);
          EXPECT_EQ(++inside, 1);
          EXPECT_GT(lease->token(), last);
          last = lease->token();
          --inside;
          ++rounds;
        }
      });
    }
  }
  EXPECT_EQ(rounds, 400);
}

TEST_F(AnEngine, LetsThreadsTakeNamesOfTheirOwnAtTheSameTime) {
  Client one = client("web-1");
  std::atomic<int> rounds = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 200; ++round) {
          auto lease = one.acquire("name-" + std::to_string(i), wish(30s));
          ASSERT_TRUE(lease);
          EXPECT_TRUE(lease->extend());
          EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
          ++rounds;
        }
      });
    }
  }
  EXPECT_EQ(rounds, 1'600);
}

// Whoever waits, holds, renews or gives back just then: all of them come to an end, and nothing stays in the store.
TEST_F(AnEngine, ClosesUnderLoad) {
  for (int time = 0; time < 10; ++time) {
    Client one = client("web-1");
    std::atomic<int> taken = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        while (true) {
          auto lease = one.acquire("name-" + std::to_string(i % 3), wish(30s, for_ever));
          if (!lease) {
            EXPECT_EQ(lease.error().code, core::RefusalCode::cancelled);
            return;
          }
          ++taken;
          if (i % 2 == 0) lease->extend();
        }
      });
    }
    ASSERT_TRUE(wait_until([&] { return taken > 100; }));
    one.close();
    threads.clear();
    Client other = client("web-2");
    for (const char* name : {"name-0", "name-1", "name-2"}) EXPECT_TRUE(other.acquire(name, wish(30s)));
  }
}

TEST_F(AnEngine, GivesUpAStoreThatHangsAndGoesOnWithIt) {
  Client one = client("web-1");
  ASSERT_TRUE(one.acquire("name", wish(1s)));
  store.hang();
  const auto refused = one.acquire("name", wish(1s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failures.at(0).failure.code, core::FailureCode::timed_out);
  store.go_on();
  EXPECT_TRUE(wait_until([&] { return one.acquire("name", wish(1s)).has_value(); }));
}

TEST_F(AnEngine, PutsItsLeasesBackIntoAStoreThatForgotThem) {
  Client one = client("web-1");
  Client other = client("web-2");
  auto lease = one.acquire("name", wish(2s));
  ASSERT_TRUE(lease);
  store.lose_everything();
  EXPECT_TRUE(test::is_renewed(*lease));
  EXPECT_TRUE(lease->held());
  const auto refused = other.acquire("name", wish(2s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::RefusalCode::not_open) << "it may have forgotten others";
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released) << "it stands there again";
}

// The next scope begins behind the release of the last, without waiting for it (A3, T12).
TEST_F(AnEngine, LetsAScopeBeginBehindTheReleaseOfTheLast) {
  Client one = client("web-1");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const std::string name = "name-" + std::to_string(i);
      for (int round = 0; round < 500; ++round) {
        // With another patience on every third: over another connection.
        const auto lease = one.acquire(name, wish(round % 3 == 0 ? 1s : 30s));
        ASSERT_TRUE(lease) << "the release of the last was overtaken";
      }
    });
  }
}

TEST_F(AnEngine, RepeatsAReleaseThatNobodyWaitsForUntilItIsAnswered) {
  Client one = client("web-1");
  Client other = client("web-2");
  {
    const auto lease = one.acquire("name", wish(30s));
    ASSERT_TRUE(lease);
    store.hang();
    store.break_connections();
  }
  store.go_on();
  EXPECT_TRUE(wait_until([&] { return other.acquire("name", wish(30s)).has_value(); }));
}

// Its answer is read by whoever polls next; where nobody does, soon all the same, so that a dead connection is noticed.
TEST_F(AnEngine, ReadsWhatNobodyWaitsFor) {
  std::atomic<int> released = 0;
  ClientOptions options;
  options.nodes = {store.node()};
  options.owner = "web-1";
  options.terms = terms;
  options.on_event = [&](const Event& event) { released += event.kind == Event::Kind::released ? 1 : 0; };
  Client one(std::move(options));
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(one.acquire("name", wish(30s)));
    ASSERT_TRUE(wait_until([&] { return released == i; }));
  }
}

}  // namespace
}  // namespace tenure::runtime
