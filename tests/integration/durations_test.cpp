// Durations of the public API: what cannot be kept is refused by the name of its field, and none overflows. T22.
#include <limits>

#include "integration/api.hpp"
#include "support/polling.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Each of them is something else, and less, when it is counted in nanoseconds without a check: the third is 60 s.
const std::vector<milliseconds> impossible{
    milliseconds::max(),   milliseconds::min(),     18'446'744'133'710ms,
    -18'446'744'013'710ms, 9'223'372'036'855ms,     -1ms,
    24h * 3650 + 1ms,      milliseconds::max() / 2, 18'446'744'073'710ms * 2,
};

// Every refusal names the field and is one of usage.
void expect_refused(const std::optional<Refusal>& refusal, const std::string& field, milliseconds duration) {
  ASSERT_TRUE(refusal) << field << " of " << duration.count() << "ms was accepted";
  EXPECT_EQ(refusal->code, Refusal::Code::usage);
  EXPECT_NE(refusal->message.find(field), std::string::npos) << refusal->message;
}

template <class Result>
std::optional<Refusal> refusal_of(const Result& result) {
  return result ? std::nullopt : std::optional(result.error());
}

TEST(Durations, OfAClientAreRefusedByTheirName) {
  for (const milliseconds duration : impossible) {
    expect_refused(refusal_of(Client::open({.ttl_max = duration})), "ttl_max", duration);
  }
}

TEST(Durations, OfSpinningAreRefusedByItsName) {
  using std::chrono::microseconds;
  for (const microseconds duration : {microseconds::max(), microseconds::min(), -1us, 1'001us}) {
    expect_refused(refusal_of(Client::open({.spin = duration})), "spin", {});
  }
  EXPECT_TRUE(Client::open({.spin = 1'000us}));
}

TEST(Durations, OfALockAreRefusedByTheirName) {
  Nodes nodes(1);
  const Client client = open(nodes);
  for (const milliseconds duration : impossible) {
    const auto refusal = [&](const LockOptions& options) {
      return refusal_of(client.lock("a", options).try_acquire());
    };
    expect_refused(refusal({.ttl = duration}), "ttl", duration);
    expect_refused(refusal({.grace = duration}), "grace", duration);
    expect_refused(refusal({.node_timeout = duration}), "node_timeout", duration);
  }
  expect_refused(refusal_of(client.lock("a", {.hold_max = -1ms}).try_acquire()), "hold_max", -1ms);
  expect_refused(refusal_of(client.lock("a").acquire({.retry_delay = 0ms})), "retry_delay", 0ms);
}

TEST(Durations, OfAnElectionAreRefusedByTheirName) {
  Nodes nodes(1);
  const Client client = open(nodes);
  for (const milliseconds duration : impossible) {
    const auto refusal = [&](const ElectionOptions& options) {
      return refusal_of(client.election("a", options));
    };
    expect_refused(refusal({.lease = duration}), "lease", duration);
    expect_refused(refusal({.renew = duration}), "renew", duration);
    expect_refused(refusal({.grace = duration}), "grace", duration);
    expect_refused(refusal({.drain = duration}), "drain", duration);
  }
}

TEST(Durations, OfAFleetAreRefusedByTheirName) {
  Nodes nodes(1);
  const Client client = open(nodes);
  for (const milliseconds duration : impossible) {
    const auto refusal = [&](const FleetOptions& options) {
      return refusal_of(client.fleet("poll", options));
    };
    expect_refused(refusal({.ttl = duration}), "ttl", duration);
    expect_refused(refusal({.renew = duration}), "renew", duration);
    expect_refused(refusal({.grace = duration}), "grace", duration);
    expect_refused(refusal({.node_timeout = duration}), "node_timeout", duration);
  }
}

TEST(Durations, OfAPollerAreRefusedByTheirName) {
  const auto refusal = [](PollWork work, PollerOptions options = {}) {
    FakeFleet fleet;
    const Named sessions;
    Poller poller(fleet, std::make_unique<NamedSource>(sessions), std::move(work), std::move(options));
    return refusal_of(poller.start());
  };
  for (const milliseconds duration : impossible) {
    expect_refused(refusal(HttpPoll{.connect_timeout = duration}), "connect_timeout", duration);
    expect_refused(refusal(HttpPoll{.timeout = duration}), "timeout", duration);
    expect_refused(refusal(CommandPoll{.command = "true", .timeout = duration}), "timeout", duration);
    expect_refused(refusal(CommandPoll{.command = "true", .kill_after = duration}), "kill_after", duration);
    PollerOptions options;
    options.discovery = duration;
    expect_refused(refusal(HttpPoll{}, options), "discovery", duration);
    options = {};
    options.backoff_max = duration;
    expect_refused(refusal(HttpPoll{}, options), "backoff_max", duration);
    expect_refused(refusal_of(stored_sessions({.timeout = duration})), "timeout", duration);
  }
}

TEST(Durations, OfASessionThatCannotBePolledMakeItABadSession) {
  for (const milliseconds duration : impossible) {
    Polling here(CallbackPoll{.call = [](const auto&...) { return PollOutcome{.ok = true}; }});
    Session session;
    session.id = "a";
    session.interval = duration;
    here.sessions.set({.good = {session}});
    ASSERT_TRUE(here.poller.start());
    ASSERT_TRUE(here.hears(PollEvent::Kind::bad_session)) << duration.count();
    EXPECT_NE(here.told(PollEvent::Kind::bad_session)[0].detail.find("interval"), std::string::npos);
  }
}

}  // namespace
}  // namespace tenure::test
