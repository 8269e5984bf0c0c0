#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "http_target/http_target.hpp"
#include "poll/schedule.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/wall_clock.hpp"
#include "support/no_threads.hpp"
#include "support/polling.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using poll::Milliseconds;
using runtime::boot_now;
using Kind = PollEvent::Kind;

class Pollers : public ::testing::Test {
 protected:
  Session session(const std::string& id, const std::string& path = "/",
                  std::chrono::milliseconds interval = 200ms) {
    return {.id = id, .address = target_->url(path), .interval = interval};
  }
  PollerOptions stored() const {
    PollerOptions options;
    options.data = server_.url();
    return options;
  }
  // The key that Redis shows for a lease, as the fleet would set it.
  void show_leases(FakeFleet& fleet) {
    fleet.on_given = [this](const SessionLease& lease) {
      RedisConnection(server_.socket_path()).command({"SET", lease.key, lease.value});
    };
  }
  std::size_t visits(const std::string& session = {}) const {
    const auto all = target_->visits();
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const auto& it) { return session.empty() || it.session == session; }));
  }
  std::string stored_of(const std::string& session, const std::string& field = "result") {
    return server_.command({"HGET", "state:" + session, field}).text;
  }

  RedisServer server_;
  std::unique_ptr<http_target::HttpTarget> target_ = http_target::HttpTarget::open().value();
};

TEST_F(Pollers, WhatIsOursIsPolledAndItsResultsAreStored) {
  Polling here(HttpPoll{}, stored());
  show_leases(here.fleet);
  here.sessions.set({.good = {session("a"), session("b")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") >= 3 && visits("b") >= 3; }));
  here.poller.stop();
  EXPECT_EQ(target_->visits().at(0).instance, "here");
  const std::string result = stored_of("a");
  EXPECT_TRUE(result.starts_with("{\"session\": \"a\", \"instance\": \"here\", \"token\": ")) << result;
  EXPECT_NE(result.find("\"ok\": true, \"status\": 200, \"error\": \"\", \"body\": \"hello a\\n\"}"),
            std::string::npos)
      << result;
  EXPECT_EQ(here.count(Kind::refused), 0U);
  EXPECT_EQ(here.poller.counts().started, here.count(Kind::started));
  EXPECT_EQ(here.poller.counts().succeeded, visits());
  EXPECT_EQ(overlaps(target_->visits()), 0U);
}

TEST_F(Pollers, EachSlotHasOnePoll) {
  Polling here(HttpPoll{}, stored());
  here.sessions.set({.good = {session("a", "/", 300ms)}});
  here.fleet.gives_all = false;
  ASSERT_TRUE(here.poller.start());
  here.fleet.give("a");
  std::this_thread::sleep_for(3s);
  here.poller.stop();
  EXPECT_GE(visits("a"), 9U);
  EXPECT_LE(visits("a"), 11U);
}

TEST_F(Pollers, WhatIsNotOursIsNotPolled) {
  Polling here(HttpPoll{});
  here.fleet.gives_all = false;
  here.sessions.set({.good = {session("a"), session("b")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return here.fleet.shared().size() == 2; }));
  here.fleet.give("a");
  ASSERT_TRUE(wait_until([&] { return visits("a") >= 3; }));
  EXPECT_EQ(visits("b"), 0U);
}

TEST_F(Pollers, AnUncertainLeaseBeginsNoPoll) {
  Polling here(HttpPoll{});
  here.sessions.set({.good = {session("a"), session("b")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") >= 1 && visits("b") >= 1; }));
  here.fleet.doubt("a", true);
  const auto before = visits("a");
  const auto others = visits("b");
  ASSERT_TRUE(wait_until([&] { return visits("b") >= others + 4; }));
  EXPECT_LE(visits("a"), before + 1) << "one that had begun";
  here.fleet.doubt("a", false);
  EXPECT_TRUE(wait_until([&] { return visits("a") >= before + 3; }));
}

TEST_F(Pollers, AHandOverLetsThePollEndAndStoresItsResultFirst) {
  Polling here(HttpPoll{}, stored());
  show_leases(here.fleet);
  here.sessions.set({.good = {session("a", "/slow/500")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") == 1; }));
  here.fleet.take("a", SessionEnd::rebalance);
  ASSERT_TRUE(wait_until([&] { return here.fleet.is_free("a"); }));
  EXPECT_NE(stored_of("a").find("at last"), std::string::npos) << "stored by the time it is given back";
  EXPECT_TRUE(target_->visits().at(0).answered);
  EXPECT_EQ(here.count(Kind::refused), 0U);
}

TEST_F(Pollers, APollThatWouldOutliveItsLeaseIsAborted) {
  Polling here(HttpPoll{});
  here.fleet.lasts = 800ms;
  here.sessions.set({.good = {session("a", "/hang")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") == 1; }));
  const auto began = boot_now();
  here.fleet.take("a", SessionEnd::rebalance);
  ASSERT_TRUE(wait_until([&] { return here.fleet.is_free("a"); }));
  EXPECT_GE(boot_now() - began, 400ms);
  EXPECT_LT(boot_now() - began, 800ms);
  EXPECT_EQ(here.poller.counts().aborted, 1U);
}

TEST_F(Pollers, ALossAbortsThePollInFlightAtOnce) {
  Polling here(HttpPoll{});
  here.sessions.set({.good = {session("a", "/hang")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") == 1; }));
  const auto began = boot_now();
  here.fleet.take("a", SessionEnd::not_renewed);
  ASSERT_TRUE(wait_until([&] { return target_->visits().at(0).ended.has_value(); }));
  EXPECT_LT(boot_now() - began, 300ms);
  EXPECT_TRUE(wait_until([&] { return here.fleet.is_free("a"); }));
}

TEST_F(Pollers, AResultOfALeaseThatHasPassedOnIsRefused) {
  Polling here(HttpPoll{}, stored());
  show_leases(here.fleet);
  here.sessions.set({.good = {session("a", "/slow/300")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") == 1; }));
  server_.command({"SET", "poll:lease:a", "there#fedcba9876543210#999999"});
  ASSERT_TRUE(here.hears(Kind::refused));
  EXPECT_EQ(stored_of("a"), "");
  EXPECT_EQ(here.told(Kind::refused)[0].session, "a");
  EXPECT_GE(here.poller.counts().refused, 1U);
}

TEST_F(Pollers, AnotherUserOfTheRedisWithTheLeasesIsHeldToThemAsWell) {
  server_.command({"ACL", "SETUSER", "worker", "on", ">secret", "~*", "&*", "+@all"});
  PollerOptions options;
  options.data = server_.url("worker:secret");
  Polling here(HttpPoll{}, options);
  here.fleet.place = {.url = server_.url(), .leases = true};
  here.sessions.set({.good = {session("a")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(here.hears(Kind::refused)) << "no lease of it is there";
  EXPECT_EQ(here.told(Kind::refused)[0].detail, "the lease has passed on");
  EXPECT_EQ(stored_of("a"), "");
}

TEST_F(Pollers, StrictlyRedisIsAskedBeforeEveryPoll) {
  PollerOptions options;
  options.strict = true;
  Polling here(HttpPoll{}, options);
  here.fleet.strictly = false;
  here.sessions.set({.good = {session("a")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return here.fleet.asked >= 3; }));
  EXPECT_EQ(visits(), 0U);
  EXPECT_EQ(here.count(Kind::started), 0U);
  here.fleet.strictly = true;
  ASSERT_TRUE(wait_until([&] { return visits() >= 3; }));
  EXPECT_GE(here.fleet.asked, 6);
}

TEST_F(Pollers, ANewOwnerGoesOnWhereTheOldOneEnded) {
  constexpr auto interval = 500ms;
  Polling one(HttpPoll{}, stored(), "one");
  Polling other(HttpPoll{}, stored(), "other");
  std::vector<Session> sessions;
  for (int i = 0; i < 10; ++i) sessions.push_back(session("s" + std::to_string(i), "/", interval));
  for (auto* it : {&one, &other}) {
    show_leases(it->fleet);
    it->fleet.gives_all = false;
    it->sessions.set({.good = sessions});
    ASSERT_TRUE(it->poller.start());
  }
  Polling* owner = &one;
  for (const auto& it : sessions) owner->fleet.give(it.id);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(137 + 53 * (round % 3)));
    Polling* next = owner == &one ? &other : &one;
    for (const auto& it : sessions) owner->fleet.take(it.id, SessionEnd::rebalance);
    for (const auto& it : sessions) {
      ASSERT_TRUE(wait_until([&] { return owner->fleet.is_free(it.id); }));
      next->fleet.give(it.id);
    }
    owner = next;
  }
  one.poller.stop();
  other.poller.stop();
  const auto all = target_->visits();
  EXPECT_EQ(overlaps(all), 0U);
  std::set<std::string> instances;
  const auto offset =
      Milliseconds(runtime::wall_now_ms()) - std::chrono::floor<Milliseconds>(boot_now().time_since_epoch());
  for (const auto& it : sessions) {
    const poll::Cadence cadence(it.id, interval);
    std::map<std::int64_t, int> by_slot;
    for (const auto& visit : all) {
      instances.insert(visit.instance);
      if (visit.session != it.id) continue;
      const poll::WallTime at(std::chrono::floor<Milliseconds>(visit.began.time_since_epoch()) + offset +
                              2ms);
      by_slot[cadence.slot_at(at).time_since_epoch() / interval] += 1;
    }
    ASSERT_GE(by_slot.size(), 6U);
    // The first is spread, and the last may be under way.
    for (auto slot = std::next(by_slot.begin(), 2); slot != by_slot.end(); ++slot) {
      EXPECT_EQ(slot->second, 1) << "twice in a slot of " << it.id;
      EXPECT_EQ(slot->first, std::prev(slot)->first + 1) << "a slot of " << it.id << " was left out";
    }
  }
  EXPECT_EQ(instances.size(), 2U);
}

TEST_F(Pollers, AFailureIsToldOnceAndBackedOffFrom) {
  Polling here(HttpPoll{});
  here.sessions.set({.good = {session("a", "/status/500", 100ms), session("b", "/", 100ms)}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("b") >= 15; }));
  EXPECT_EQ(here.count(Kind::failed), 1U);
  EXPECT_EQ(here.told(Kind::failed)[0].outcome.error, "the answer is HTTP 500");
  EXPECT_GE(visits("a"), 2U);
  EXPECT_LE(visits("a"), 6U);
  here.sessions.set({.good = {session("a", "/", 100ms), session("b", "/", 100ms)}});
  EXPECT_TRUE(here.hears(Kind::recovered));
  EXPECT_EQ(here.count(Kind::failed), 1U);
}

TEST_F(Pollers, BadSessionsAreToldOnceAndHarmNoOther) {
  Polling here(HttpPoll{.connect_timeout = 300ms, .timeout = 500ms});
  here.sessions.set({.good = {session("a"),
                              session("h", "/hang"),
                              session("r", "/redirect"),
                              {.id = "n", .address = "http://nowhere.invalid/", .interval = 200ms}},
                     .bad = {{"x", "it has no address"}}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") >= 8; }));
  for (const auto* id : {"h", "r", "n"}) EXPECT_EQ(here.count(Kind::failed, id), 1U) << id;
  EXPECT_EQ(here.count(Kind::failed), 3U);
  ASSERT_EQ(here.count(Kind::bad_session), 1U);
  EXPECT_EQ(here.told(Kind::bad_session)[0].detail, "it has no address");
  here.sessions.set({.good = {session("a"), session("x")}});
  EXPECT_TRUE(here.hears(Kind::good_session));
  EXPECT_TRUE(wait_until([&] { return visits("x") >= 1; }));
}

TEST_F(Pollers, ASourceThatCannotBeReadTakesNothingAway) {
  Polling here(HttpPoll{});
  here.sessions.set({.good = {session("a")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") >= 1; }));
  here.sessions.fail("no connection");
  ASSERT_TRUE(here.hears(Kind::source_away));
  const auto before = visits("a");
  ASSERT_TRUE(wait_until([&] { return visits("a") >= before + 3; }));
  EXPECT_EQ(here.count(Kind::source_away), 1U);
  here.sessions.set({.good = {session("a")}});
  EXPECT_TRUE(here.hears(Kind::source_back));
}

TEST_F(Pollers, SessionsComeAndGoAtRunTime) {
  PollerOptions options;
  options.discovery = 1h;
  Polling here(HttpPoll{}, options);
  here.sessions.set({.good = {session("a")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits("a") >= 1; }));
  Session paused = session("a");
  paused.paused = true;
  here.sessions.set({.good = {paused, session("b")}});
  here.fleet.say_sessions_changed();
  EXPECT_TRUE(wait_until([&] { return visits("b") >= 1 && here.fleet.is_free("a"); }));
  here.poller.pause("b");
  EXPECT_TRUE(wait_until([&] { return here.fleet.is_free("b"); }));
  const auto before = visits("b");
  here.poller.resume("b");
  EXPECT_TRUE(wait_until([&] { return visits("b") > before; }));
  here.poller.remove("b");
  EXPECT_TRUE(wait_until([&] { return here.fleet.is_free("b"); }));
}

TEST_F(Pollers, ACallbackPollsUnderItsLease) {
  std::atomic<int> calls = 0;
  std::atomic<bool> stopped = false;
  Polling here(
      CallbackPoll{.call =
                       [&](const Session& it, const SessionLease& lease, const std::stop_token& stop) {
                         calls += 1;
                         if (it.id == "throws") throw std::runtime_error("so it is");
                         if (it.id == "waits") {
                           while (!stop.stop_requested()) std::this_thread::sleep_for(5ms);
                           stopped = true;
                         }
                         return PollOutcome{.ok = true, .status = 7, .body = lease.session};
                       }},
      stored());
  show_leases(here.fleet);
  here.sessions.set({.good = {session("plain"), session("throws"), session("waits")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return calls >= 6; }));
  ASSERT_TRUE(here.hears(Kind::failed));
  EXPECT_EQ(here.told(Kind::failed)[0].outcome.error, "the callback threw: so it is");
  EXPECT_TRUE(
      wait_until([&] { return stored_of("plain").find("\"body\": \"plain\"") != std::string::npos; }));
  here.fleet.take("waits", SessionEnd::missing);
  EXPECT_TRUE(wait_until([&] { return stopped && here.fleet.is_free("waits"); }));
}

TEST_F(Pollers, ACommandPollsUnderItsLease) {
  Polling here(CommandPoll{.command = "echo $TENURE_SESSION by $TENURE_INSTANCE"}, stored());
  show_leases(here.fleet);
  here.sessions.set({.good = {session("a")}});
  ASSERT_TRUE(here.poller.start());
  EXPECT_TRUE(
      wait_until([&] { return stored_of("a").find("\"body\": \"a by here\\n\"") != std::string::npos; }));
}

TEST_F(Pollers, StoppingHandsEverythingOverAndLosesNoResult) {
  Polling here(HttpPoll{}, stored());
  show_leases(here.fleet);
  std::vector<Session> sessions;
  for (int i = 0; i < 20; ++i) sessions.push_back(session("s" + std::to_string(i), "/slow/300", 10s));
  std::ranges::sort(sessions, {}, &Session::id);
  here.sessions.set({.good = sessions});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits() >= 3; }));
  here.poller.stop();
  EXPECT_TRUE(here.fleet.owned_sessions().empty());
  const auto begun = visits();
  // The target notes an answer once it is out, which may be a moment after the result was stored.
  const auto all_answered = [&] {
    return std::ranges::all_of(target_->visits(), [](const auto& visit) { return visit.answered; });
  };
  EXPECT_TRUE(wait_until(all_answered));
  for (const auto& visit : target_->visits()) EXPECT_NE(stored_of(visit.session), "");
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(visits(), begun) << "nothing after stop()";
}

TEST_F(Pollers, TheUserHearsOfTheFleetUntilThePollerHasStopped) {
  std::atomic<int> heard = 0;
  PollerOptions options;
  options.on_fleet_event = [&](const FleetEvent&) { heard += 1; };
  FakeFleet fleet;
  Named none;
  std::optional<Poller> poller;
  poller.emplace(fleet, std::make_unique<NamedSource>(none), HttpPoll{}, options);
  ASSERT_TRUE(poller->start());
  const auto told = [&] {
    fleet.say_sessions_changed();
    fleet.wait_until_told();
    return heard.load();
  };
  EXPECT_EQ(told(), 1);
  EXPECT_TRUE(poller->stop());
  EXPECT_EQ(told(), 1);
  poller.reset();
  EXPECT_EQ(told(), 1);
}

// A fleet that joins when the test lets it, and not where it says so.
class SlowFleet : public FakeFleet {
 public:
  tl::expected<void, Refusal> start() override {
    started += 1;
    if (slow) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return gone_on_; });
    }
    if (refuses) return tl::unexpected(Refusal{Refusal::Code::no_quorum, "nobody is there"});
    joined = true;
    share(shared());
    return {};
  }
  tl::expected<void, Refusal> stop(const std::stop_token& give_up) override {
    joined = false;
    return FakeFleet::stop(give_up);
  }
  void go_on() {
    const std::lock_guard lock(mutex_);
    gone_on_ = true;
    changed_.notify_all();
  }

  std::atomic<bool> slow = false;
  std::atomic<bool> refuses = false;
  std::atomic<bool> joined = false;
  std::atomic<int> started = 0;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool gone_on_ = false;
};

class CountingSource : public SessionSource {
 public:
  explicit CountingSource(std::atomic<int>& reads) : reads_(reads) {}
  tl::expected<Sessions, std::string> read() override {
    reads_ += 1;
    return Sessions{.good = {{.id = "a", .address = "x", .interval = std::chrono::milliseconds(200)}}};
  }

 private:
  std::atomic<int>& reads_;
};

// With a fleet that the test holds up.
struct HeldUp {
  explicit HeldUp(PollerOptions options = {})
      : poller(fleet, std::make_unique<CountingSource>(reads),
               CallbackPoll{.call =
                                [this](const auto&, const auto&, const auto&) {
                                  polls += 1;
                                  return PollOutcome{.ok = true};
                                }},
               quick(std::move(options))) {}
  static PollerOptions quick(PollerOptions options) {
    options.discovery = std::chrono::milliseconds(20);
    return options;
  }

  std::atomic<int> reads = 0;
  std::atomic<int> polls = 0;
  SlowFleet fleet;
  Poller poller;  // goes first
};

TEST_F(Pollers, AStartThatIsRefusedLeavesNothingBehindAndMayBeTriedAgain) {
  HeldUp here;
  here.fleet.refuses = true;
  const auto refused = here.poller.start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::no_quorum);
  EXPECT_TRUE(here.poller.stop());
  const int before = here.reads;
  std::this_thread::sleep_for(200ms);
  EXPECT_LE(here.reads, before + 1) << "but for one that had begun, the source is read no more";
  here.fleet.refuses = false;
  ASSERT_TRUE(here.poller.start());
  EXPECT_TRUE(wait_until([&] { return here.polls > 0 && here.reads > before + 3; }));
}

TEST_F(Pollers, WhoIsTiredOfWaitingForAStartLetsItEndInTheBackground) {
  HeldUp here;
  here.fleet.slow = true;
  std::atomic<bool> refused = false;
  std::jthread starting([&] {
    const auto started = here.poller.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, Refusal::Code::cancelled);
    refused = true;
  });
  ASSERT_TRUE(wait_until([&] { return here.fleet.started == 1; }));
  std::atomic<bool> returned = false;
  std::jthread stopping([&](const std::stop_token& give_up) {
    const auto stopped = here.poller.stop(give_up);
    EXPECT_TRUE(!stopped && stopped.error().code == Refusal::Code::cancelled);
    returned = true;
  });
  stopping.request_stop();
  EXPECT_TRUE(wait_until([&] { return returned.load(); })) << "it has no patience";
  EXPECT_FALSE(refused);
  here.fleet.go_on();
  EXPECT_TRUE(wait_until([&] { return refused.load(); }));
  EXPECT_FALSE(here.fleet.joined) << "it was stopped as soon as that could be done";
  starting.join();
  ASSERT_TRUE(here.poller.start());
  EXPECT_TRUE(wait_until([&] { return here.polls > 0; }));
}

TEST_F(Pollers, WithoutAThreadItIsRefusedAndItsSourceStays) {
  HeldUp here;
  tl::expected<void, Refusal> started;
  {
    const NoThreads none;
    started = here.poller.start();
  }
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Refusal::Code::system);
  started = here.poller.start();
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_TRUE(wait_until([&] { return here.polls > 0; }));
}

TEST_F(Pollers, AForkedChildMayLetItsCopyGo) {
  auto here = std::make_unique<Polling>(HttpPoll{}, stored());
  ASSERT_TRUE(here->poller.start());
  const pid_t child = fork();
  if (child == 0) {
    std::destroy_at(&here->poller);
    _exit(0);
  }
  int status = -1;
  EXPECT_TRUE(wait_until([&] { return waitpid(child, &status, WNOHANG) == child; }));
  EXPECT_EQ(status, 0);
  if (status != -1) return;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
}

// Its callback listens to nobody, until the test lets it go.
class StubbornPolling {
 public:
  explicit StubbornPolling(std::chrono::milliseconds lease_lasts)
      : polling_(CallbackPoll{
            .call = [this, go = let_go_.get_future().share()](const auto&, const auto&, const auto&) {
              polls = true;
              go.wait();
              return PollOutcome{.ok = true};
            }}) {
    polling_.fleet.lasts = lease_lasts;
    polling_.sessions.set({.good = {{.id = "a", .address = "x", .interval = 200ms}}});
    EXPECT_TRUE(polling_.poller.start());
    EXPECT_TRUE(wait_until([&] { return polls.load(); }));
  }
  ~StubbornPolling() { let_go(); }

  void let_go() {
    if (!std::exchange(gone_, true)) let_go_.set_value();
  }

  std::atomic<bool> polls = false;

 private:
  bool gone_ = false;
  std::promise<void> let_go_;
  Polling polling_;

 public:
  Poller& poller = polling_.poller;
  FakeFleet& fleet = polling_.fleet;
};

TEST_F(Pollers, WhoIsTiredOfWaitingForACallbackLetsItEndInTheBackground) {
  StubbornPolling here(50ms);
  std::atomic<bool> returned = false;
  std::jthread stopping([&](const std::stop_token& give_up) {
    const auto stopped = here.poller.stop(give_up);
    EXPECT_TRUE(!stopped && stopped.error().code == Refusal::Code::cancelled);
    returned = true;
  });
  EXPECT_TRUE(wait_until([&] { return here.fleet.owned_sessions().empty(); })) << "the lease was shorter";
  EXPECT_FALSE(returned);
  stopping.request_stop();
  EXPECT_TRUE(wait_until([&] { return returned.load(); }));
  here.let_go();
  EXPECT_TRUE(here.poller.stop());
}

TEST_F(Pollers, OfTwoThatStopItEachWaitsAsLongAsItLikes) {
  StubbornPolling here(20s);
  std::atomic<bool> patient_returned = false;
  std::atomic<bool> hasty_returned = false;
  const std::jthread patient([&] {
    EXPECT_TRUE(here.poller.stop());
    patient_returned = true;
  });
  EXPECT_TRUE(wait_until([&] { return !here.fleet.is_owned("a"); })) << "the work was told to end";
  std::jthread hasty([&](const std::stop_token& give_up) {
    EXPECT_FALSE(here.poller.stop(give_up));
    hasty_returned = true;
  });
  hasty.request_stop();
  EXPECT_TRUE(wait_until([&] { return hasty_returned.load(); }));
  EXPECT_FALSE(patient_returned);
  here.let_go();
  EXPECT_TRUE(wait_until([&] { return patient_returned.load(); }));
}

TEST_F(Pollers, ARedisThatHangsHoldsUpNeitherPollsNorTheStop) {
  Polling here(HttpPoll{}, stored());
  here.fleet.lasts = 20s;
  here.sessions.set({.good = {session("a")}});
  ASSERT_TRUE(here.poller.start());
  ASSERT_TRUE(wait_until([&] { return visits() >= 2; }));
  server_.pause();
  const auto before = visits();
  EXPECT_TRUE(wait_until([&] { return visits() >= before + 5; }));
  const auto began = boot_now();
  here.poller.stop();
  EXPECT_LT(boot_now() - began, 6s) << "the lease would have lasted longer";
  server_.resume();
}

TEST_F(Pollers, WhatContradictsItselfIsRefused) {
  const auto refusal = [&](PollWork work, PollerOptions options = {}) {
    Polling here(std::move(work), std::move(options));
    const auto started = here.poller.start();
    return started ? "" : started.error().message;
  };
  EXPECT_EQ(refusal(CallbackPoll{}), "there is no callback to poll with");
  EXPECT_EQ(refusal(CommandPoll{}), "there is no command to poll with");
  EXPECT_EQ(refusal(HttpPoll{.timeout = 0ms}), "timeout is zero; it must be more than that");
  PollerOptions elsewhere;
  elsewhere.data = "http://somewhere";
  EXPECT_NE(refusal(HttpPoll{}, elsewhere).find("where results go"), std::string::npos);
  PollerOptions in_the_clear = stored();
  in_the_clear.tls.ca_file = "ca.crt";
  EXPECT_EQ(refusal(HttpPoll{}, in_the_clear),
            "where results go: TLS is set up, and no address asks for it: those begin with rediss://");
  Polling never(HttpPoll{});
  never.poller.pause("a");
  EXPECT_EQ(never.poller.counts().started, 0U);
}

TEST_F(Pollers, ThousandsOfSessionsAreEachPolledInTheirTurn) {
  constexpr int many = 10'000;
  std::mutex mutex;
  std::map<std::string, int> polls;
  Polling here(CallbackPoll{.call =
                                [&](const Session& it, const SessionLease&, const std::stop_token&) {
                                  const std::lock_guard lock(mutex);
                                  polls[it.id] += 1;
                                  return PollOutcome{.ok = true};
                                }},
               stored());
  std::vector<Session> sessions;
  for (int i = 0; i < many; ++i) sessions.push_back(session("s" + std::to_string(i), "/", 4s));
  std::ranges::sort(sessions, {}, &Session::id);
  here.sessions.set({.good = sessions});
  ASSERT_TRUE(here.poller.start());
  EXPECT_TRUE(wait_until(
      [&] {
        const std::lock_guard lock(mutex);
        return polls.size() == many;
      },
      20s));
  here.poller.stop();
  EXPECT_EQ(here.fleet.owned_sessions().size(), 0U);
}

}  // namespace
}  // namespace tenure::test
