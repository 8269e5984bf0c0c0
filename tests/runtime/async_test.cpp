// Calls that do not block, over a store in memory: who reads the answers, who is woken, and what becomes of calls that are under
// way when something goes.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

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

using Acquired = tl::expected<Lease, core::Refusal>;

struct Acquire final : AsyncAcquire {
  explicit Acquire(std::function<void(Acquired)> its_handler) : handler(std::move(its_handler)) {}
  void done(Acquired end) override { handler(std::move(end)); }
  std::function<void(Acquired)> handler;
};

class AsyncCalls : public testing::Test {
 protected:
  Client client(const std::string& owner = "web-1") {
    ClientOptions options;
    options.nodes = {store.node()};
    options.owner = owner;
    options.terms = terms;
    return Client(std::move(options));
  }
  static void acquire(const Client& client, const std::string& key, std::function<void(Acquired)> handler,
                      const AcquireOptions& options = wish(30s), const std::stop_token& stop = {}) {
    client.async_acquire(std::make_shared<Acquire>(std::move(handler)), key, options, stop);
  }
  static bool readable(const Client& client, std::chrono::milliseconds timeout = 10s) {
    pollfd fd{client.descriptor(), POLLIN, 0};
    return ::poll(&fd, 1, static_cast<int>(timeout.count())) > 0;
  }
  static std::size_t poll(const Client& client) {
    return client.poll([] { return true; });
  }
  template <class Condition>
  static bool run_until(const Client& client, const Condition& condition) {
    while (!condition()) {
      if (!readable(client)) return false;
      poll(client);
    }
    return true;
  }

  const core::Terms terms{core::Ttl(60'000), "1"};
  MemoryStore store{terms};
};

TEST_F(AsyncCalls, EndWhereSomebodyPollsAndNowhereElse) {
  const Client one = client();
  int done = 0;
  for (int i = 0; i < 64; ++i) {
    acquire(one, "name-" + std::to_string(i), [&](const Acquired& lease) {
      EXPECT_TRUE(lease);
      done += 1;
    });
  }
  std::this_thread::sleep_for(50ms);  // longer than the client's own thread leaves answers unread
  EXPECT_EQ(done, 0);
  EXPECT_TRUE(readable(one));
  ASSERT_TRUE(run_until(one, [&] { return done == 64; }));
  while (readable(one, 30ms)) poll(one);
  EXPECT_FALSE(readable(one, 0ms)) << "nothing is left to do";
}

// The timer is not the loop's: a store that hangs is given up all the same, and the loop hears of it.
TEST_F(AsyncCalls, AreGivenUpByTheTimerAndTold) {
  const Client one = client();
  store.hang();
  std::optional<core::RefusalCode> why;
  acquire(one, "name", [&](const Acquired& lease) { why = lease.error().code; }, wish(1s));
  ASSERT_TRUE(run_until(one, [&] { return why.has_value(); }));
  EXPECT_EQ(why, core::RefusalCode::no_quorum);
  store.go_on();
}

TEST_F(AsyncCalls, AreHeardWhoeverReadsTheAnswer) {
  Client one = client();
  std::atomic<bool> stop = false;
  std::vector<std::jthread> blocking;
  for (int i = 0; i < 3; ++i) {
    blocking.emplace_back([&, i] {
      while (!stop) ASSERT_TRUE(one.acquire("blocking-" + std::to_string(i), wish(30s)));
    });
  }
  int done = 0;
  std::function<void()> next = [&] {
    acquire(one, "name", [&](Acquired lease) {
      ASSERT_TRUE(lease);
      {
        const Lease goes = std::move(*lease);
      }
      if (++done < 500) next();
    });
  };
  next();
  EXPECT_TRUE(run_until(one, [&] { return done == 500; }));
  stop = true;
}

TEST_F(AsyncCalls, MayBePolledForByTwoThreads) {
  const Client one = client();
  std::atomic<int> done = 0;
  constexpr int all = 400;
  for (int i = 0; i < all; ++i) {
    acquire(one, "name-" + std::to_string(i), [&](const Acquired& lease) { done += lease ? 1 : 0; });
  }
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        while (done < all) {
          readable(one, 5ms);
          poll(one);
        }
      });
    }
  }
  EXPECT_EQ(done, all);
}

TEST_F(AsyncCalls, AreCancelledFromAnotherThread) {
  Client one = client();
  Client other = client("web-2");
  const auto held = other.acquire("name", wish(30s));
  ASSERT_TRUE(held);
  for (int i = 0; i < 100; ++i) {
    std::stop_source stop;
    bool ended = false;
    acquire(
        one, "name", [&](const Acquired& lease) { ended = !lease; }, wish(30s, for_ever), stop.get_token());
    std::jthread stopper([&] { stop.request_stop(); });
    ASSERT_TRUE(run_until(one, [&] { return ended; }));
  }
}

TEST_F(AsyncCalls, ThatAreUnderWayGoWithTheirClient) {
  const auto alive = std::make_shared<int>(0);
  for (int i = 0; i < 20; ++i) {
    const Client one = client();
    for (int k = 0; k < 5; ++k) {
      acquire(one, "name-" + std::to_string(k), [alive](const Acquired&) { ADD_FAILURE(); });
    }
    if (i % 2 == 0) std::this_thread::sleep_for(15ms);  // granted and not told, or still under way
  }
  EXPECT_EQ(alive.use_count(), 1);
  Client other = client("web-2");
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(other.acquire("name-" + std::to_string(k), wish(30s)));
}

// With another patience the request takes another connection, on which it could overtake the release.
TEST_F(AsyncCalls, DoNotOvertakeTheReleaseOfAScope) {
  Client one = client();
  int done = 0;
  std::function<void()> next = [&] {
    acquire(
        one, "name",
        [&](Acquired lease) {
          ASSERT_TRUE(lease) << "held by ourselves";
          {
            const Lease goes = std::move(*lease);
          }
          if (++done < 200) next();
        },
        wish(done % 2 == 0 ? 1s : 30s));
  };
  next();
  ASSERT_TRUE(run_until(one, [&] { return done == 200; }));
}

}  // namespace
}  // namespace tenure::runtime
