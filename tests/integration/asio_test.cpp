// Calls as operations of Boost.Asio: coroutines, futures and callbacks, and how each of them is cancelled.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <exception>
#include <optional>
#include <thread>

#include "integration/event_loop.hpp"
#include "tenure/asio.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;
using boost::asio::awaitable;
using boost::asio::use_awaitable;
using Code = Refusal::Code;

class Asio : public testing::Test {
 protected:
  template <class Work>
  void spawn(Work work) {
    boost::asio::co_spawn(io, std::move(work), [](const std::exception_ptr& thrown) {
      if (thrown) std::rethrow_exception(thrown);
    });
  }

  Nodes nodes{1};
  Client client = open(nodes);
  boost::asio::io_context io{1};
  std::optional<AsioDriver> driver{std::in_place, client, io.get_executor()};
};

TEST_F(Asio, CoroutinesTakeManyLocksOnOneThread) {
  int done = 0;
  for (int i = 0; i < 64; ++i) {
    spawn([&, i]() -> awaitable<void> {
      const Lock lock = client.lock("a" + std::to_string(i));
      for (int turn = 0; turn < 5; ++turn) {
        auto lease = co_await driver->acquire(lock, use_awaitable);
        EXPECT_TRUE(lease);
        const auto extended = co_await driver->extend(*lease, use_awaitable);
        EXPECT_TRUE(extended);
        if (turn % 2 == 0) continue;  // a scope
        const auto released = co_await driver->release(*lease, use_awaitable);
        EXPECT_EQ(released, Released::released);
      }
      done += 1;
    });
  }
  io.run();
  EXPECT_EQ(done, 64) << "and the context ran out of work by itself";
}

TEST_F(Asio, OthersWaitForTheNameInTurn) {
  int inside = 0;
  int turns = 0;
  for (int i = 0; i < 8; ++i) {
    spawn([&]() -> awaitable<void> {
      Wait wait;
      auto lease = co_await driver->acquire(client.lock("a"), wait, use_awaitable);
      EXPECT_TRUE(lease);
      EXPECT_EQ(++inside, 1);
      boost::asio::steady_timer timer(io, 2ms);
      co_await timer.async_wait(use_awaitable);
      --inside;
      turns += 1;
    });
  }
  io.run();
  EXPECT_EQ(turns, 8);
}

TEST_F(Asio, FuturesAndCallbacksDoAsWell) {
  auto work = boost::asio::make_work_guard(io);
  std::jthread thread([&] { io.run(); });
  std::promise<std::future<Acquired>> begun;
  boost::asio::post(io,
                    [&] { begun.set_value(driver->acquire(client.lock("a"), {}, boost::asio::use_future)); });
  auto lease = begun.get_future().get().get();
  ASSERT_TRUE(lease);
  std::promise<tl::expected<Released, Refusal>> released;
  boost::asio::post(io, [&] {
    driver->release(*lease, [&](tl::expected<Released, Refusal> how) { released.set_value(std::move(how)); });
  });
  EXPECT_EQ(released.get_future().get(), Released::released);
  work.reset();
}

TEST_F(Asio, ASlotCancelsAWait) {
  const auto held = open(nodes).lock("a").try_acquire();
  ASSERT_TRUE(held);
  boost::asio::cancellation_signal signal;
  std::optional<Code> end;
  Wait wait;
  wait.on_waiting = [&](const Refusal&) { signal.emit(boost::asio::cancellation_type::all); };
  driver->acquire(client.lock("a"), wait,
                  boost::asio::bind_cancellation_slot(
                      signal.slot(), [&](const Acquired& lease) { end = lease.error().code; }));
  io.run();
  EXPECT_EQ(end, Code::cancelled);
  EXPECT_TRUE(wait_until([&] { return tickets(nodes[0], "redlock:a").empty(); }));
}

TEST_F(Asio, WhoeverComesFirstCancelsTheOther) {
  const auto held = open(nodes).lock("a").try_acquire();
  ASSERT_TRUE(held);
  bool timed_out = false;
  spawn([&]() -> awaitable<void> {
    boost::asio::steady_timer timer(io, 50ms);
    Wait wait;
    const auto first =
        co_await (driver->acquire(client.lock("a"), wait, use_awaitable) || timer.async_wait(use_awaitable));
    timed_out = first.index() == 1;
  });
  io.run();
  EXPECT_TRUE(timed_out);
}

TEST_F(Asio, ALossIsWaitedFor) {
  std::optional<Loss> why;
  bool cancelled = false;
  spawn([&]() -> awaitable<void> {
    Wait wait;
    auto lease = co_await driver->acquire(client.lock("a", short_lease()), wait, use_awaitable);
    EXPECT_TRUE(lease);
    boost::asio::steady_timer timer(io, 20ms);
    const auto first = co_await (driver->lost(*lease, use_awaitable) || timer.async_wait(use_awaitable));
    cancelled = first.index() == 1;
    nodes[0].command({"DEL", "redlock:a"});
    const auto lost = co_await driver->lost(*lease, use_awaitable);
    EXPECT_TRUE(lost);
    why = lease->loss();
  });
  io.run();
  EXPECT_TRUE(cancelled);
  EXPECT_EQ(why, Loss::missing);
}

TEST_F(Asio, LeadershipIsWaitedFor) {
  auto election = client.election("leader").value();
  ASSERT_TRUE(election.start());
  std::optional<std::uint64_t> term;
  spawn([&]() -> awaitable<void> {
    const auto leads = co_await driver->leadership(election, use_awaitable);
    EXPECT_TRUE(leads);
    term = *leads;
  });
  io.run();
  EXPECT_EQ(term, election.term());
}

TEST_F(Asio, ADriverThatGoesEndsWhatIsUnderWay) {
  const auto held = open(nodes).lock("a").try_acquire();
  ASSERT_TRUE(held);
  std::vector<Code> ends;
  for (int i = 0; i < 3; ++i) {
    driver->acquire(client.lock("a"), {}, [&](const Acquired& lease) {
      ASSERT_FALSE(lease);
      ends.push_back(lease.error().code);
    });
  }
  driver->lost(*held, [&](const tl::expected<void, Refusal>& lost) {
    ASSERT_FALSE(lost);
    ends.push_back(lost.error().code);
  });
  driver.reset();
  EXPECT_TRUE(ends.empty()) << "handlers are not called by the destructor";
  io.run();
  EXPECT_EQ(ends, std::vector(4, Code::cancelled));
  EXPECT_TRUE(wait_until([&] { return tickets(nodes[0], "redlock:a").empty(); }));
}

TEST_F(Asio, AHandlerMayDestroyTheDriver) {
  int called = 0;
  for (int i = 0; i < 3; ++i) {
    driver->acquire(client.lock("a" + std::to_string(i)), {}, [&](const Acquired&) {
      called += 1;
      driver.reset();
    });
  }
  io.run();
  EXPECT_EQ(called, 3) << "those behind it are told all the same";
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a2"); }));
}

TEST_F(Asio, AContextThatStopsKeepsNobodyWaiting) {
  const auto held = open(nodes).lock("held").try_acquire();
  {
    spawn([&]() -> awaitable<void> {
      Wait wait;
      const auto free = co_await driver->acquire(client.lock("free"), wait, use_awaitable);
      EXPECT_TRUE(free);
      const auto never = co_await driver->acquire(client.lock("held"), wait, use_awaitable);
      ADD_FAILURE() << "nobody runs the context";
    });
    while (nodes.none_has("redlock:free")) io.run_one();
    io.run_for(20ms);
    io.stop();
  }
  driver.reset();
  client.close();
  EXPECT_TRUE(nodes.none_has("redlock:free"));
}

}  // namespace
}  // namespace tenure::test
