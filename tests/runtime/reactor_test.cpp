// Who polls, and how the role passes on, with events in place of connections.
#include "runtime/engine/reactor.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "runtime/boot_clock.hpp"
#include "runtime/net/event_descriptor.hpp"
#include "support/wait.hpp"

namespace tenure::runtime {
namespace {

using namespace std::chrono_literals;
using test::wait_until;

// Each event completes one waiter.
class Events : public Reactor::Handler {
 public:
  // With the mutex locked.
  void add(const Descriptor& event, Reactor::Waiter* waiter) {
    events_.emplace(next_connection(), Event{event.get(), waiter});
  }
  void set_wake(std::optional<core::Time> when) { wake_ = when; }
  // The same, but only needed while nobody polls.
  void set_unread(core::Time when) { unread_ = when; }
  void set_busy(bool busy) { busy_ = busy; }
  bool asked() const override { return !events_.empty(); }

  Reactor* reactor = nullptr;
  mutable std::atomic<int> polls = 0;
  std::atomic<int> heard = 0;
  std::atomic<int> timers = 0;
  std::set<std::thread::id> pollers;  // who has heard something

  std::vector<Awaited> awaited() const override {
    std::vector<Awaited> all;
    for (const auto& [id, event] : events_) all.push_back({event.fd, POLLIN, id});
    polls += 1;
    return all;
  }
  bool awaits(std::span<const Awaited> polled) const override {
    return std::ranges::equal(polled, events_, {}, &Awaited::connection,
                              [](const auto& entry) { return entry.first; });
  }
  void on_ready(std::span<const Awaited> ready, core::Time) override {
    for (const Awaited& it : ready) {
      const auto event = events_.extract(it.connection);
      if (event.empty()) continue;
      heard += 1;
      pollers.insert(std::this_thread::get_id());
      if (event.mapped().waiter != nullptr) reactor->complete(*event.mapped().waiter);
    }
  }
  void on_timer(core::Time) override {
    timers += 1;
    wake_.reset();
    unread_.reset();
  }
  std::optional<core::Time> wake(bool polled) const override {
    return polled ? wake_ : core::sooner(wake_, unread_);
  }
  bool busy() const override { return busy_; }

 private:
  struct Event {
    int fd = -1;
    Reactor::Waiter* waiter = nullptr;
  };
  std::map<std::uint64_t, Event> events_;
  std::optional<core::Time> wake_;
  std::optional<core::Time> unread_;
  bool busy_ = false;
};

class AReactor : public testing::Test {
 protected:
  explicit AReactor(core::Duration spin = core::Duration::zero()) : reactor_(events_, spin) {
    events_.reactor = &reactor_;
  }

  // An event that is awaited, and heard of once.
  Descriptor add(Reactor::Waiter* waiter = nullptr) {
    Descriptor event = make_event_descriptor();
    const Reactor::Hold hold(reactor_);
    events_.add(event, waiter);
    return event;
  }
  static void signal(const Descriptor& event) { eventfd_write(event.get(), 1); }
  void wait(Reactor::Waiter& waiter) {
    Reactor::Hold hold(reactor_);
    while (!waiter.done()) reactor_.wait(hold, waiter);
    reactor_.leave(hold, waiter);
  }
  // Its own thread has come to where it sleeps, and does not poll.
  void let_it_sleep() {
    const int before = events_.timers;
    {
      const Reactor::Hold hold(reactor_);
      events_.set_wake(boot_now());
    }
    ASSERT_TRUE(wait_until([&] { return events_.timers > before; }));
  }
  void set_busy() {
    const Reactor::Hold hold(reactor_);
    events_.set_busy(true);
  }
  std::set<std::thread::id> pollers() {
    const Reactor::Hold hold(reactor_);
    return events_.pollers;
  }

  Events events_;
  Reactor reactor_;
};

TEST_F(AReactor, IsPolledByWhoWaitsAlone) {
  Reactor::Waiter waiter;
  const Descriptor event = add(&waiter);
  std::jthread later([&] {
    wait_until([&] { return events_.polls > 0; });
    signal(event);
  });
  wait(waiter);
  EXPECT_EQ(pollers(), std::set{std::this_thread::get_id()});
}

TEST_F(AReactor, DoesNotLetWaitWhoIsDoneBefore) {
  Reactor::Waiter waiter;
  {
    const Reactor::Hold hold(reactor_);
    reactor_.complete(waiter);
  }
  wait(waiter);
  EXPECT_TRUE(waiter.done());
}

// One polls, the others follow. The poller's answer comes first each time: somebody else must go on for those who are left.
TEST_F(AReactor, PassesTheRoleOnWhenItsPollerIsDone) {
  constexpr std::size_t count = 5;
  std::vector<Reactor::Waiter> waiters(count);
  std::vector<Descriptor> events;
  for (auto& waiter : waiters) events.push_back(add(&waiter));
  std::vector<std::jthread> threads;
  std::vector<std::thread::id> ids;
  for (auto& waiter : waiters) {
    const int before = events_.polls;
    threads.emplace_back([&] { wait(waiter); });
    ids.push_back(threads.back().get_id());
    // The first polls before the second comes.
    if (threads.size() == 1) {
      ASSERT_TRUE(wait_until([&] { return events_.polls > before; }));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    signal(events[i]);
    threads[i].join();
  }
  EXPECT_EQ(events_.heard, static_cast<int>(count));
  EXPECT_TRUE(pollers().contains(ids[0])) << "it came first, and polled for its own answer";
  EXPECT_GE(pollers().size(), 2U) << "and the role has passed on";
}

// Whoever polls reads what comes: a timer for that would wake the reactor's own thread for nothing.
TEST_F(AReactor, LooksForWhatNobodyReadOnlyWhileNobodyPolls) {
  Reactor::Waiter waiter;
  const Descriptor event = add(&waiter);
  std::jthread poller([&] { wait(waiter); });
  ASSERT_TRUE(wait_until([&] { return events_.polls > 0; }));
  {
    const Reactor::Hold hold(reactor_);
    events_.set_unread(boot_now());
  }
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(events_.timers, 0);
  signal(event);
  poller.join();
  EXPECT_TRUE(wait_until([&] { return events_.timers == 1; })) << "now nobody polls";
}

TEST_F(AReactor, WakesItsPollerWhenSomebodyElseCompletesIt) {
  Reactor::Waiter waiter;
  std::jthread poller([&] { wait(waiter); });
  ASSERT_TRUE(wait_until([&] { return events_.polls > 0; }));
  const Reactor::Hold hold(reactor_);
  reactor_.complete(waiter);
}

TEST_F(AReactor, PollsByItselfWhileNobodyWaitsForWhatIsUnderWay) {
  let_it_sleep();
  const Descriptor event = add();
  set_busy();
  signal(event);
  EXPECT_TRUE(wait_until([&] { return events_.heard == 1; }));
  EXPECT_FALSE(pollers().contains(std::this_thread::get_id()));
}

TEST_F(AReactor, LeavesThePollingToItselfWhenTheLastWaiterGoes) {
  let_it_sleep();
  Reactor::Waiter waiter;
  const Descriptor event = add(&waiter);
  const Descriptor later = add();
  std::jthread poller([&] { wait(waiter); });
  ASSERT_TRUE(wait_until([&] { return events_.polls > 0; }));
  set_busy();
  signal(event);
  poller.join();
  signal(later);
  EXPECT_TRUE(wait_until([&] { return events_.heard == 2; }));
}

TEST_F(AReactor, PollsForWhatIsAwaitedSinceItsPollerBegan) {
  Reactor::Waiter first;
  const Descriptor silent = add(&first);
  std::jthread poller([&] { wait(first); });
  ASSERT_TRUE(wait_until([&] { return events_.polls > 0; }));
  // Its own event never comes: it hears what came to be awaited meanwhile.
  const Descriptor event = add(&first);
  signal(event);
  poller.join();
  EXPECT_EQ(events_.heard, 1);
}

TEST_F(AReactor, HasATimer) {
  const core::Time due = boot_now() + 20ms;
  {
    const Reactor::Hold hold(reactor_);
    events_.set_wake(boot_now() + 1h);
  }
  {
    const Reactor::Hold hold(reactor_);
    events_.set_wake(due);  // sooner than it was
  }
  EXPECT_TRUE(wait_until([&] { return events_.timers == 1; }));
  EXPECT_GE(boot_now(), due);
}

TEST_F(AReactor, LetsWhoPollsAndWhoFollowsLookWhenTheyAreToldTo) {
  Reactor::Waiter polling;
  Reactor::Waiter following;
  std::atomic<int> looks = 0;
  const auto look = [&](Reactor::Waiter& waiter) {
    Reactor::Hold hold(reactor_);
    reactor_.wait(hold, waiter);
    looks += 1;
  };
  std::jthread poller(look, std::ref(polling));
  ASSERT_TRUE(wait_until([&] { return events_.polls > 0; }));
  std::jthread follower(look, std::ref(following));
  {
    const Reactor::Hold hold(reactor_);
    reactor_.nudge(following);
  }
  EXPECT_TRUE(wait_until([&] { return looks == 1; }));
  reactor_.interrupt(polling);
  EXPECT_TRUE(wait_until([&] { return looks == 2; }));
}

TEST_F(AReactor, WaitsNoLongerThanItsLimit) {
  Reactor::Waiter waiter;
  const core::Time begin = boot_now();
  Reactor::Hold hold(reactor_);
  reactor_.wait(hold, waiter, 5ms);
  EXPECT_FALSE(waiter.done());
  EXPECT_GE(boot_now() - begin, 5ms);
}

// Many come and go, each woken by an event that another thread makes at whatever moment: nobody is forgotten, whoever polls
// then and whoever is just about to wait.
TEST_F(AReactor, LosesNoWakeUp) {
  constexpr int threads = 8;
  constexpr int rounds = 300;
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < threads; ++i) {
      callers.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          Reactor::Waiter waiter;
          const Descriptor event = add(&waiter);
          std::jthread other;
          if (round % 3 == 0) {
            other = std::jthread([&] { signal(event); });
          } else {
            signal(event);
          }
          wait(waiter);
          done += 1;
        }
      });
    }
  }
  EXPECT_EQ(done, threads * rounds);
  EXPECT_EQ(events_.heard, threads * rounds);
}

class AReactorThatSpins : public AReactor {
 protected:
  AReactorThatSpins() : AReactor(1ms) {}
};

// What comes while the caller looks ends its wait, and so does what comes when it has long gone to sleep.
TEST_F(AReactorThatSpins, HearsWhatComesAtOnceAndWhatComesLate) {
  for (const auto late : {0ms, 20ms}) {
    Reactor::Waiter waiter;
    const Descriptor event = add(&waiter);
    std::thread server([&] {
      std::this_thread::sleep_for(late);
      signal(event);
    });
    wait(waiter);
    server.join();
    EXPECT_TRUE(waiter.done());
  }
  EXPECT_EQ(pollers(), std::set{std::this_thread::get_id()});
}

class AReactorThatSpinsForLong : public AReactor {
 protected:
  AReactorThatSpinsForLong() : AReactor(10s) {}

  static std::chrono::nanoseconds processor_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
};

// The server may need that very core.
TEST_F(AReactorThatSpinsForLong, SleepsAtOnceWhereItsCallerMayRunOnOneCoreOnly) {
  Reactor::Waiter waiter;
  const Descriptor event = add(&waiter);
  std::jthread server([&] {
    std::this_thread::sleep_for(200ms);
    signal(event);
  });
  std::chrono::nanoseconds took{};
  std::jthread caller([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const auto before = processor_time();
    wait(waiter);
    took = processor_time() - before;
  });
  caller.join();
  EXPECT_LT(took, 50ms) << "it looked for the answer all the time";
}

}  // namespace
}  // namespace tenure::runtime
