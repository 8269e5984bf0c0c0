// What callbacks throw on a thread of ours ends there: it costs no lease, and the log says so. T21.
#include <atomic>
#include <future>
#include <stdexcept>

#include "integration/api.hpp"
#include "support/polling.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

bool has(const Record<std::string>& logged, const std::string& sentence) {
  const auto all = logged.all();
  return std::ranges::find(all, sentence) != all.end();
}

TEST(ThrowingCallbacks, WhatOnEventThrowsIsLoggedAndTheLeaseIsKept) {
  Nodes nodes(1);
  Record<std::string> logged;
  std::atomic<int> events = 0;
  ClientOptions options = options_for(nodes);
  options.on_log = [&](const LogLine& line) { logged.add(line.message); };
  options.on_event = [&](const Event&) {
    events += 1;
    if (events == 1) throw std::runtime_error("no disk");
    throw 42;  // NOLINT: users do
  };
  const Client client = Client::open(options).value();
  auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  ASSERT_TRUE(wait_until([&] { return events > 2; })) << "it is renewed, and events are told on";
  EXPECT_TRUE(lease->held());
  EXPECT_TRUE(wait_until([&] { return has(logged, "on_event has thrown: no disk"); }));
  EXPECT_TRUE(
      wait_until([&] { return has(logged, "on_event has thrown something that is no std::exception"); }));
  EXPECT_EQ(lease->release(), Released::released);
}

TEST(ThrowingCallbacks, WhatTheLogThrowsIsDroppedAndTheLeaseIsKept) {
  Nodes nodes(1);
  std::atomic<int> sentences = 0;
  ClientOptions options = options_for(nodes);
  options.on_log = [&](const LogLine&) {
    sentences += 1;
    throw std::runtime_error("no disk");
  };
  options.on_event = [](const Event&) { throw std::runtime_error("so that there is something to log"); };
  const Client client = Client::open(options).value();
  auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  ASSERT_TRUE(wait_until([&] { return sentences > 2; })) << "it is renewed, and sentences are logged on";
  EXPECT_TRUE(lease->held());
  EXPECT_EQ(lease->release(), Released::released);
}

TEST(ThrowingCallbacks, WhatOnWaitingThrowsComesOutOfTheWaitAndLeavesNothingBehind) {
  Nodes nodes(1);
  const Client one = open(nodes, "one");
  const Client two = open(nodes, "two");
  {
    const auto lease = one.lock("a").try_acquire();
    ASSERT_TRUE(lease);
    EXPECT_THROW(
        (void)two.lock("a").acquire({.on_waiting = [](const Refusal&) { throw std::runtime_error("no"); }}),
        std::runtime_error);
  }
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
}

// A source that throws at every other reading.
class MoodySource : public SessionSource {
 public:
  tl::expected<Sessions, std::string> read() override {
    readings_ += 1;
    if (readings_ % 2 == 1) throw std::runtime_error("no disk");
    Session session;
    session.id = "a";
    session.interval = 100ms;
    return Sessions{.good = {session}};
  }

 private:
  int readings_ = 0;
};

TEST(ThrowingCallbacks, OfAPollerEndNoPolling) {
  FakeFleet fleet;
  std::atomic<int> polls = 0;
  std::atomic<int> events = 0;
  Record<std::string> away;
  CallbackPoll work{.call = [&](const Session&, const SessionLease&, const std::stop_token&) -> PollOutcome {
    polls += 1;
    throw std::runtime_error("no printer");
  }};
  PollerOptions options;
  options.discovery = 50ms;
  options.on_event = [&](const PollEvent& event) {
    events += 1;
    if (event.kind == PollEvent::Kind::source_away) away.add(event.detail);
    throw std::runtime_error("no screen");
  };
  Poller poller(fleet, std::make_unique<MoodySource>(), work, options);
  ASSERT_TRUE(poller.start());
  EXPECT_TRUE(wait_until([&] { return polls > 2 && events > 5 && away.all().size() > 1; }));
  EXPECT_EQ(away.all().at(0), "the source threw: no disk");
  poller.stop();
  EXPECT_GT(poller.counts().failed, 0U);
}

}  // namespace
}  // namespace tenure::test
