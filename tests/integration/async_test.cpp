// Calls that do not block, driven by the user's loop (A1, T13, X15).
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "integration/event_loop.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Code = Refusal::Code;

TEST(Async, ManyAcquisitionsAreUnderWayFromOneThread) {
  for (const std::size_t count : {1U, 3U}) {
    Nodes nodes(count);
    const Client client = open(nodes);
    EventLoop loop(client);
    constexpr int names = 64;
    std::vector<Lease> leases;
    std::set<std::thread::id> threads;
    for (int i = 0; i < names; ++i) {
      client.lock("a" + std::to_string(i)).async_acquire({}, [&](Acquired lease) {
        ASSERT_TRUE(lease) << lease.error().message;
        threads.insert(std::this_thread::get_id());
        leases.push_back(std::move(*lease));
      });
    }
    EXPECT_TRUE(leases.empty()) << "no handler runs inside of the call";
    ASSERT_TRUE(loop.run_until(client, [&] { return leases.size() == names; }));
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
    int released = 0;
    for (Lease& lease : leases) {
      EXPECT_TRUE(lease.held());
      lease.async_extend([](const auto&) {});  // in time, or refused because it was given back
      lease.async_release([&](const tl::expected<Released, Refusal>& how) {
        EXPECT_EQ(how, Released::released);
        released += 1;
      });
      EXPECT_FALSE(lease.held()) << "not any more when its release leaves (S8)";
    }
    leases.clear();  // their handlers hear the end all the same
    ASSERT_TRUE(loop.run_until(client, [&] { return released == names; }));
    for (int i = 0; i < names; ++i) EXPECT_TRUE(nodes.none_has("redlock:a" + std::to_string(i)));
  }
}

TEST(Async, AHandlerMayBeginTheNextAndDestroyItsLease) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  int turns = 0;
  std::uint64_t last = 0;
  const Lock lock = client.lock("a");
  std::function<void()> next = [&] {
    lock.async_acquire({.wait_max = 0ms}, [&](Acquired lease) {
      ASSERT_TRUE(lease) << lease.error().message;
      EXPECT_GT(lease->token(), last);
      last = lease->token();
      {
        const Lease goes = std::move(*lease);
      }
      if (++turns < 200) next();
    });
  };
  next();
  ASSERT_TRUE(loop.run_until(client, [&] { return turns == 200; }));
}

TEST(Async, WhatHandlersAskForLeavesTogether) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  int begun = 0;
  std::vector<Lease> leases;
  client.lock("first").async_acquire({}, [&](const Acquired& first) {
    ASSERT_TRUE(first);
    for (int i = 0; i < 32; ++i) {
      client.lock("a" + std::to_string(i)).async_acquire({}, [&](Acquired lease) {
        leases.push_back(std::move(*lease));
      });
    }
    begun = 32;
    EXPECT_TRUE(nodes.none_has("redlock:a31")) << "nothing has left yet";
  });
  ASSERT_TRUE(loop.run_until(client, [&] { return begun > 0 && leases.size() == 32; }));
}

TEST(Async, WhatHandlersGiveBackIsOneCall) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  std::vector<Lease> leases;
  for (int i = 0; i < 32; ++i) {
    client.lock("a" + std::to_string(i)).async_acquire({}, [&](Acquired lease) {
      leases.push_back(std::move(*lease));
    });
  }
  ASSERT_TRUE(loop.run_until(client, [&] { return leases.size() == 32; }));
  // The first release brings its script along, and is no EVALSHA.
  bool first = false;
  leases.back().async_release([&](const auto&) { first = true; });
  ASSERT_TRUE(loop.run_until(client, [&] { return first; }));
  leases.pop_back();
  const auto before = calls_of(nodes[0], "evalsha");
  int released = 0;
  client.lock("last").async_acquire({}, [&](Acquired) {
    for (Lease& lease : leases) {
      lease.async_release([&](const tl::expected<Released, Refusal>& how) {
        EXPECT_EQ(how, Released::released);
        released += 1;
      });
    }
  });
  ASSERT_TRUE(loop.run_until(client, [&] { return released == 31; }));
  EXPECT_EQ(calls_of(nodes[0], "evalsha") - before, 2) << "one that acquires, and one for all releases";
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(nodes.none_has("redlock:a" + std::to_string(i)));
}

// A handler that takes its time holds up nobody: what was asked for before it leaves all the same.
TEST(Async, WhatHandlersAskForLeavesAlsoWhileAnotherTakesItsTime) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  std::optional<bool> freed;
  for (const char* name : {"a", "b"}) {
    client.lock(name).async_acquire({}, [&, slow = std::string(name) == "b"](Acquired lease) {
      ASSERT_TRUE(lease) << lease.error().message;
      if (!slow) return std::this_thread::sleep_for(50ms);  // longer than the look that poll() has begun with
      freed = wait_until([&] { return nodes.none_has("redlock:a"); });
    });
  }
  ASSERT_TRUE(loop.run_until(client, [&] { return freed.has_value(); }));
  EXPECT_TRUE(*freed) << "the lease of the first handler is gone, and its name is not free";
}

TEST(Async, ABlockingCallInAHandlerDoesNotWaitForItself) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  bool done = false;
  client.lock("a").async_acquire({}, [&](Acquired lease) {
    ASSERT_TRUE(lease);
    bool other = false;
    client.lock("b").async_acquire({}, [&](const Acquired&) { other = true; });
    EXPECT_TRUE(client.lock("c").try_acquire());
    EXPECT_TRUE(lease->extend());
    EXPECT_EQ(lease->release(), Released::released);
    EXPECT_FALSE(other);
    done = true;
  });
  ASSERT_TRUE(loop.run_until(client, [&] { return done; }));
}

TEST(Async, BlockingAndAsynchronousCallersShareNames) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  std::atomic<int> inside = 0;
  std::atomic<int> blocking = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 40; ++k) {
        const auto lease = client.lock("a").acquire();
        ASSERT_TRUE(lease);
        EXPECT_EQ(++inside, 1);
        --inside;
        ++blocking;
      }
    });
  }
  int turns = 0;
  std::function<void()> next = [&] {
    client.lock("a").async_acquire({}, [&](const Acquired& lease) {
      ASSERT_TRUE(lease);
      EXPECT_EQ(++inside, 1);
      --inside;
      if (++turns < 40) next();
    });
  };
  next();
  ASSERT_TRUE(loop.run_until(client, [&] { return turns == 40; }));
  threads.clear();
  EXPECT_EQ(blocking, 120);
}

TEST(Async, WhatAHandlerThrowsComesOutAndTheOthersAreLeft) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  int called = 0;
  for (int i = 0; i < 8; ++i) {
    client.lock("a" + std::to_string(i)).async_acquire({}, [&](const Acquired& lease) {
      EXPECT_TRUE(lease);
      called += 1;
      throw std::runtime_error("oh");
    });
  }
  int thrown = 0;
  while (called < 8) {
    ASSERT_TRUE(loop.sleep(10s));
    try {
      client.poll();
    } catch (const std::runtime_error&) {
      thrown += 1;
    }
  }
  EXPECT_EQ(thrown, 8);
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a0"); })) << "the lease went with its handler";
}

TEST(Async, AHandlerMayDestroyTheLastHandle) {
  Nodes nodes(1);
  auto client = std::make_unique<Client>(open(nodes));
  EventLoop loop(*client);
  int called = 0;
  const auto handler = [&](const Acquired& lease) {
    EXPECT_TRUE(lease);
    called += 1;
    client.reset();
  };
  client->lock("a").async_acquire({}, handler);
  client->lock("b").async_acquire({}, handler);
  ASSERT_TRUE(wait_until([&] { return !nodes.none_has("redlock:a") && !nodes.none_has("redlock:b"); }));
  while (client) {
    ASSERT_TRUE(loop.sleep(10s));
    client->poll();
  }
  EXPECT_EQ(called, 1) << "nothing is called after that";
  EXPECT_TRUE(nodes.none_has("redlock:a"));
  EXPECT_TRUE(nodes.none_has("redlock:b"));
}

TEST(Async, IsCancelledBeforeDuringAndAfterTheGrant) {  // T13
  Nodes nodes(1);
  const Client one = open(nodes);
  const Client client = open(nodes);
  EventLoop loop(client);
  std::optional<Acquired> end;
  const auto handler = [&](Acquired result) { end = std::move(result); };

  std::stop_source before;
  before.request_stop();
  client.lock("a").async_acquire({}, handler, before.get_token());
  EXPECT_FALSE(end);
  ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
  EXPECT_EQ(end->error().code, Code::cancelled);

  end.reset();
  auto held = one.lock("a").try_acquire();
  ASSERT_TRUE(held);
  std::stop_source during;
  bool waits = false;
  client.lock("a").async_acquire({.on_waiting = [&](const Refusal&) { waits = true; }}, handler,
                                 during.get_token());
  ASSERT_TRUE(loop.run_until(client, [&] { return waits; }));
  std::jthread stopper([&] { during.request_stop(); });
  ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
  EXPECT_EQ(end->error().code, Code::cancelled);
  EXPECT_TRUE(wait_until([&] { return tickets(nodes[0], "redlock:a").empty(); }));
  ASSERT_TRUE(held->release());

  for (int i = 0; i < 50; ++i) {  // whichever comes first
    end.reset();
    std::stop_source after;
    client.lock("a").async_acquire({.wait_max = 0ms}, handler, after.get_token());
    if (i % 2 == 0) loop.sleep(1ms);
    after.request_stop();
    ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
    if (!*end) {
      EXPECT_EQ(end->error().code, Code::cancelled) << end->error().message;
    }
  }
  end.reset();
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
}

TEST(Async, WhatOnWaitingThrowsEndsTheWait) {
  Nodes nodes(1);
  const Client one = open(nodes);
  const Client client = open(nodes);
  EventLoop loop(client);
  const auto held = one.lock("a").try_acquire();
  std::optional<Code> end;
  client.lock("a").async_acquire({.on_waiting = [](const Refusal&) { throw std::runtime_error("oh"); }},
                                 [&](const Acquired& result) { end = result.error().code; });
  ASSERT_TRUE(loop.sleep(10s));
  EXPECT_THROW(
      while (true) {
        client.poll();
        if (!loop.sleep(10s)) break;
      },
      std::runtime_error);
  ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
  EXPECT_EQ(end, Code::cancelled);
}

TEST(Async, ClosingRefusesWhatIsUnderWayByPolling) {
  Nodes nodes(1);
  const Client one = open(nodes);
  Client client = open(nodes);
  EventLoop loop(client);
  const auto held = one.lock("held").try_acquire();
  ASSERT_TRUE(held);
  std::vector<Code> ends;
  const auto handler = [&](const Acquired& end) {
    ASSERT_FALSE(end);
    ends.push_back(end.error().code);
  };
  client.lock("held").async_acquire({}, handler);
  client.lock("free").async_acquire({}, handler);  // granted, and not told: it is given back
  ASSERT_TRUE(wait_until([&] { return !nodes.none_has("redlock:free"); }));
  client.close();
  EXPECT_TRUE(ends.empty()) << "handlers run in poll() and nowhere else";
  EXPECT_TRUE(nodes.none_has("redlock:free"));
  client.lock("late").async_acquire({}, handler);
  ASSERT_TRUE(loop.run_until(client, [&] { return ends.size() == 3; }));
  EXPECT_EQ(ends, std::vector(3, Code::closed));
  EXPECT_EQ(client.poll(), 0U);
}

TEST(Async, ALoopThatNeverPollsDelaysNobodyElse) {  // X15
  Nodes nodes(1);
  Record<std::string> log;
  ClientOptions options = options_for(nodes);
  options.on_log = [&](const LogLine& line) { log.add(line.message); };
  auto client = std::make_unique<Client>(Client::open(options).value());
  bool called = false;
  client->lock("a", short_lease()).async_acquire({}, [&](const Acquired&) { called = true; });
  ASSERT_TRUE(wait_until([&] { return !nodes.none_has("redlock:a"); }));
  // Others go on, by the same client and by another, and what was granted is renewed.
  const auto other = client->lock("b", short_lease()).try_acquire();
  ASSERT_TRUE(other);
  const auto deadline = other->deadline();
  ASSERT_TRUE(wait_until([&] { return other->deadline() > deadline + 1s; }));
  EXPECT_FALSE(nodes.none_has("redlock:a")) << "it was renewed meanwhile";
  client->close();
  EXPECT_TRUE(open(nodes).lock("a").try_acquire()) << "it was given back";
  client.reset();
  EXPECT_FALSE(called);
  EXPECT_TRUE(wait_until([&] {
    const auto all = log.all();
    return std::ranges::any_of(
        all, [](const auto& line) { return line.find("was granted, and its handler") != std::string::npos; });
  }));
}

TEST(Async, AClientThatGoesDropsItsHandlersAndKeepsNoName) {
  Nodes nodes(1);
  const auto alive = std::make_shared<int>(0);
  bool called = false;
  {
    const Client client = open(nodes);
    for (int i = 0; i < 20; ++i) {
      client.lock("a" + std::to_string(i)).async_acquire({}, [&, alive](const Acquired&) { called = true; });
    }
  }
  EXPECT_FALSE(called);
  EXPECT_EQ(alive.use_count(), 1);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(nodes.none_has("redlock:a" + std::to_string(i)));
}

// Whoever sleeps in epoll is woken when there is something to do, and only then.
TEST(Async, TheDescriptorNeitherMissesNorSpins) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  int turns = 0;
  for (int i = 0; i < 200; ++i) {
    client.lock("a").async_acquire({}, [&](const Acquired& lease) {
      ASSERT_TRUE(lease);
      turns += 1;
    });
    ASSERT_TRUE(loop.run_until(client, [&] { return turns == i + 1; }));
  }
  EXPECT_LT(loop.woken, 200 * 5);
  // Now nothing is under way. What other threads do with this client concerns nobody who sleeps here.
  while (loop.sleep(20ms)) client.poll();
  int woken = 0;
  std::jthread other([&] {
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(client.lock("b").try_acquire());
  });
  for (int i = 0; i < 20; ++i) {
    if (!loop.sleep(10ms)) continue;
    woken += 1;
    client.poll();
  }
  other.join();
  EXPECT_LE(woken, 3);
}

TEST(Async, AnswersThatOthersReadAreHeard) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  std::atomic<bool> stop = false;
  std::vector<std::jthread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&, i] {
      while (!stop) EXPECT_TRUE(client.lock("other" + std::to_string(i)).try_acquire());
    });
  }
  int turns = 0;
  for (int i = 0; i < 200; ++i) {
    client.lock("a").async_acquire({}, [&](const Acquired& lease) { turns += lease ? 1 : 0; });
    ASSERT_TRUE(loop.run_until(client, [&] { return turns == i + 1; }));
  }
  stop = true;
}

TEST(Async, SurvivesADeadConnection) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  for (int i = 0; i < 10; ++i) {
    std::optional<Acquired> end;
    client.lock("a").async_acquire({.wait_max = 5s}, [&](Acquired result) { end = std::move(result); });
    nodes[0].command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
    EXPECT_TRUE(*end) << end->error().message;
  }
}

TEST(Async, WhatMakesNoSenseIsRefusedByPolling) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  std::optional<Code> end;
  client.lock("").async_acquire({}, [&](const Acquired& result) { end = result.error().code; });
  EXPECT_FALSE(end);
  ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
  EXPECT_EQ(end, Code::usage);
}

TEST(Async, ExtensionsOfOneLeaseGoOneAfterTheOther) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  auto lease = client.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  std::vector<BootClock::time_point> deadlines;
  for (int i = 0; i < 5; ++i) {
    lease->async_extend([&](const auto& deadline) { deadlines.push_back(deadline.value()); });
  }
  ASSERT_TRUE(loop.run_until(client, [&] { return deadlines.size() == 5; }));
  EXPECT_TRUE(std::ranges::is_sorted(deadlines));
  std::optional<Code> lost;
  nodes[0].pause();  // so that neither is answered before the lease goes
  lease->async_extend([](const auto&) {});
  lease->async_extend([&](const auto& deadline) { lost = deadline.error().code; });
  lease = tl::unexpected(Refusal{});
  nodes[0].resume();
  ASSERT_TRUE(loop.run_until(client, [&] { return lost.has_value(); }));
  EXPECT_EQ(lost, Code::lost);
}

TEST(Async, LeadershipIsWaitedForByPolling) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  auto election = client.election("leader").value();
  using Term = tl::expected<std::uint64_t, Refusal>;
  std::optional<Term> end;
  const auto handler = [&](Term term) { end = std::move(term); };
  election.async_wait_for_leadership(handler);
  ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
  EXPECT_EQ(end->error().code, Code::usage);
  end.reset();
  ASSERT_TRUE(election.start());
  election.async_wait_for_leadership(handler);
  ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
  EXPECT_EQ(end->value(), election.term());

  auto second = client.election("leader").value();
  ASSERT_TRUE(second.start());
  end.reset();
  std::stop_source stop;
  second.async_wait_for_leadership(handler, stop.get_token());
  stop.request_stop();
  ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
  EXPECT_EQ(end->error().code, Code::cancelled);
  end.reset();
  second.async_wait_for_leadership(handler);
  ASSERT_TRUE(second.stop());
  ASSERT_TRUE(loop.run_until(client, [&] { return end.has_value(); }));
  EXPECT_EQ(end->error().code, Code::cancelled);
}

TEST(Async, AChildCallsNoHandler) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  bool called = false;
  client.lock("a").async_acquire({}, [&](const Acquired&) { called = true; });
  const pid_t child = fork();
  if (child == 0) _exit(client.poll() == 0 && !called ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ASSERT_TRUE(loop.run_until(client, [&] { return called; }));
}

}  // namespace
}  // namespace tenure::test
