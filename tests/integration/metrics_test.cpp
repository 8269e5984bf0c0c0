// What happens on real nodes is seen in Client::metrics() and Poller::metrics(), each thing where it belongs.
#include "tenure/metrics.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "integration/event_loop.hpp"
#include "metrics/prometheus_text.hpp"
#include "support/candidate.hpp"
#include "support/clock_shim.hpp"
#include "support/polling.hpp"
#include "support/promtool.hpp"
#include "support/shared_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

TEST(Metrics, AGrantAndItsReleaseAreCounted) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EXPECT_EQ(client.metrics().leases_held, 0U);
  EXPECT_FALSE(client.metrics().nodes.at(0).up) << "nothing was asked yet";
  auto lease = client.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  const Metrics held = client.metrics();
  EXPECT_EQ(held.leases_held, 1U);
  EXPECT_EQ(held.acquisitions.granted, 1U);
  EXPECT_EQ(held.wait.count(), 1U);
  EXPECT_GT(held.wait.sum, 0);
  EXPECT_EQ(held.nodes.at(0).address, urls_of(nodes)[0]);
  EXPECT_EQ(held.nodes.at(0).up, true);
  EXPECT_GE(held.nodes.at(0).round_trip.count(), 1U);
  EXPECT_EQ(held.nodes.at(0).failures, 0U);
  EXPECT_FALSE(held.nodes.at(0).quarantined);
  ASSERT_TRUE(lease->release());
  const Metrics after = client.metrics();
  EXPECT_EQ(after.leases_held, 0U);
  EXPECT_EQ(after.releases.released, 1U);
  EXPECT_EQ(after.losses.closed + after.losses.missing + after.losses.not_renewed, 0U);
}

TEST(Metrics, ALeaseThatGoesWithItsHandleIsHeldNoMore) {
  Nodes nodes(1);
  const Client client = open(nodes);
  {
    const auto lease = client.lock("a").try_acquire().value();
  }
  EXPECT_EQ(client.metrics().leases_held, 0U);
  EXPECT_TRUE(wait_until([&] { return client.metrics().releases.released == 1; }));
}

TEST(Metrics, EveryRefusalHasItsOutcome) {
  Nodes nodes(1);
  const Client holder = open(nodes);
  const Client client = open(nodes);
  const auto lease = holder.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  EXPECT_FALSE(client.lock("a").try_acquire());
  EXPECT_EQ(client.metrics().acquisitions.held, 1U);
  EXPECT_FALSE(client.lock("a").acquire({.wait_max = 50ms}));
  EXPECT_EQ(client.metrics().acquisitions.waited, 1U);
  std::stop_source stop;
  const Wait until_it_waits{.on_waiting = [&](const Refusal&) { stop.request_stop(); }};
  EXPECT_FALSE(client.lock("a").acquire(until_it_waits, stop.get_token()));
  EXPECT_EQ(client.metrics().acquisitions.cancelled, 1U);
  nodes[0].kill();
  EXPECT_FALSE(client.lock("a").try_acquire());
  EXPECT_EQ(client.metrics().acquisitions.no_quorum, 1U);
  EXPECT_EQ(client.metrics().acquisitions.granted, 0U);
  EXPECT_EQ(client.metrics().acquisitions_waiting, 0U);
  EXPECT_EQ(client.metrics().wait.count(), 0U);
}

TEST(Metrics, ACallerThatWaitsIsSeenUntilItHasTheLock) {
  Nodes nodes(1);
  const Client holder = open(nodes);
  const Client client = open(nodes);
  auto lease = holder.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  EXPECT_EQ(client.metrics().acquisitions_waiting, 0U);
  std::optional<Lease> next;
  std::jthread waiter([&] { next = client.lock("a").acquire().value(); });
  ASSERT_TRUE(wait_until([&] { return client.metrics().acquisitions_waiting == 1; }));
  EXPECT_EQ(holder.metrics().acquisitions_waiting, 0U) << "it is another client's";
  EXPECT_EQ(client.metrics().leases_held, 0U);
  ASSERT_TRUE(lease->release());
  waiter.join();
  EXPECT_EQ(client.metrics().acquisitions_waiting, 0U);
  EXPECT_EQ(client.metrics().leases_held, 1U);
}

TEST(Metrics, WhoeverGivesUpWaitsNoMore) {
  Nodes nodes(1);
  const Client holder = open(nodes);
  Client client = open(nodes);
  const auto lease = holder.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  std::size_t seen = 0;
  const Wait looks{.wait_max = 2s,
                   .on_waiting = [&](const Refusal&) { seen = client.metrics().acquisitions_waiting; }};
  EXPECT_FALSE(client.lock("a").acquire(looks));
  EXPECT_EQ(seen, 1U);
  EXPECT_EQ(client.metrics().acquisitions_waiting, 0U) << "its time was over";
  std::stop_source stop;
  const Wait until_it_waits{.on_waiting = [&](const Refusal&) { stop.request_stop(); }};
  EXPECT_FALSE(client.lock("a").acquire(until_it_waits, stop.get_token()));
  EXPECT_EQ(client.metrics().acquisitions_waiting, 0U) << "it was stopped";
  const Wait throws{.on_waiting = [](const Refusal&) { throw std::runtime_error("as asked"); }};
  EXPECT_THROW(static_cast<void>(client.lock("a").acquire(throws)), std::runtime_error);
  EXPECT_EQ(client.metrics().acquisitions_waiting, 0U);
  const std::jthread waiter([&] { EXPECT_FALSE(client.lock("a").acquire()); });
  ASSERT_TRUE(wait_until([&] { return client.metrics().acquisitions_waiting == 1; }));
  client.close();
  EXPECT_EQ(client.metrics().acquisitions_waiting, 0U);
}

TEST(Metrics, AsynchronousCallersWaitLikeOthers) {
  Nodes nodes(1);
  const Client holder = open(nodes);
  const Client client = open(nodes);
  EventLoop loop(client);
  auto lease = holder.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  std::optional<Lease> next;
  int cancelled = 0;
  std::stop_source stop;
  client.lock("a").async_acquire({}, [&](Acquired got) { next = std::move(got).value(); });
  for (int i = 0; i < 2; ++i) {
    client.lock("a").async_acquire(
        {}, [&](const Acquired& got) { cancelled += got ? 0 : 1; }, stop.get_token());
  }
  EXPECT_EQ(client.metrics().acquisitions_waiting, 3U);
  stop.request_stop();
  EXPECT_EQ(client.metrics().acquisitions_waiting, 1U);
  ASSERT_TRUE(loop.run_until(client, [&] { return cancelled == 2; }));
  EXPECT_EQ(client.metrics().acquisitions_waiting, 1U);
  ASSERT_TRUE(lease->release());
  ASSERT_TRUE(loop.run_until(client, [&] { return next.has_value(); }));
  EXPECT_EQ(client.metrics().acquisitions_waiting, 0U);
}

// An acquisition that must not overtake a release of its own client has not even been sent.
TEST(Metrics, WhoWaitsForAReleaseOfOurOwnWaitsToo) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EventLoop loop(client);
  auto lease = client.lock("a", {.ttl = 60s, .node_timeout = 20s}).try_acquire();
  ASSERT_TRUE(lease);
  nodes[0].pause();
  {
    const Lease goes = std::move(*lease);
  }
  const Lock otherwise = client.lock("a", {.ttl = 30s, .node_timeout = 1s});
  std::stop_source stop;
  bool cancelled = false;
  otherwise.async_acquire({}, [&](const Acquired& got) { cancelled = !got; }, stop.get_token());
  EXPECT_EQ(client.metrics().acquisitions_waiting, 1U);
  const std::jthread waiter([&] { EXPECT_TRUE(otherwise.acquire()); });
  ASSERT_TRUE(wait_until([&] { return client.metrics().acquisitions_waiting == 2; }));
  stop.request_stop();
  EXPECT_EQ(client.metrics().acquisitions_waiting, 1U);
  nodes[0].resume();
  EXPECT_TRUE(wait_until([&] { return client.metrics().acquisitions_waiting == 0; }));
  EXPECT_TRUE(loop.run_until(client, [&] { return cancelled; }));
}

TEST(Metrics, RenewalsTellHowMuchOfTheLeaseWasLeft) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease);
  ASSERT_TRUE(wait_until([&] { return client.metrics().renewals.renewed >= 2; }));
  const Metrics metrics = client.metrics();
  EXPECT_EQ(metrics.slack.count(), metrics.renewals.renewed);
  EXPECT_GT(metrics.slack.sum, 0);
  EXPECT_LT(metrics.slack.sum, static_cast<double>(metrics.slack.count())) << "of a lease of a second";
  EXPECT_GE(metrics.renewal.count(), 2U);
}

TEST(Metrics, AStoreThatGoesAwayFailsRenewalsAndThenTheLeaseIsLost) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease);
  nodes[0].kill();
  ASSERT_TRUE(wait_until([&] { return client.metrics().losses.not_renewed == 1; }));
  const Metrics metrics = client.metrics();
  EXPECT_GE(metrics.renewals.failed, 1U);
  EXPECT_EQ(metrics.leases_held, 0U);
  EXPECT_EQ(metrics.nodes.at(0).up, false);
  EXPECT_GE(metrics.nodes.at(0).failures, 1U);
}

// While a lease stays uncertain nothing more is told of it, though it is tried again and again.
TEST(Metrics, EveryRenewalThatFailsIsCountedAlsoThoseThatAreNotTold) {
  Nodes nodes(1);
  std::atomic<std::uint64_t> told = 0;
  ClientOptions options = options_for(nodes);
  options.on_event = [&](const Event& event) { told += event.kind == Event::Kind::uncertain ? 1 : 0; };
  const Client client = Client::open(options).value();
  const auto lease = client.lock("a", {.ttl = 5s, .node_timeout = 200ms}).try_acquire();
  ASSERT_TRUE(lease);
  nodes[0].kill();
  ASSERT_TRUE(wait_until([&] { return client.metrics().losses.not_renewed == 1; }));
  ASSERT_TRUE(wait_until([&] { return told > 0; }));
  EXPECT_GT(client.metrics().renewals.failed, told.load());
}

TEST(Metrics, AnErrorIsAnAnswer) {
  Nodes nodes(1);
  const Client client = open(nodes);
  ASSERT_TRUE(client.lock("a").try_acquire());
  nodes[0].command({"REPLICAOF", "127.0.0.1", "1"});
  const auto refused = client.lock("b").try_acquire();
  ASSERT_FALSE(refused);
  const Metrics metrics = client.metrics();
  EXPECT_EQ(metrics.acquisitions.no_quorum, 1U) << to_string(refused.error());
  EXPECT_EQ(metrics.nodes.at(0).up, true);
  EXPECT_EQ(metrics.nodes.at(0).failures, 0U);
}

TEST(Metrics, ANodeThatWeHangUpOnHasNotFailed) {
  Nodes nodes(1);
  Client client = open(nodes);
  const auto lease = client.lock("a", {.ttl = 30s, .node_timeout = 10s}).try_acquire();
  ASSERT_TRUE(lease);
  nodes[0].pause();
  // It does not answer the release before we hang up.
  client.close();
  EXPECT_EQ(client.metrics().nodes.at(0).up, true);
  EXPECT_EQ(client.metrics().nodes.at(0).failures, 0U);
  nodes[0].resume();
}

TEST(Metrics, ADeletedKeyIsALossAndItsReleaseComesTooLate) {
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease);
  nodes[0].command({"DEL", "redlock:a"});
  ASSERT_TRUE(wait_until([&] { return client.metrics().losses.missing == 1; }));
  EXPECT_EQ(client.metrics().leases_held, 0U);
  EXPECT_EQ(lease->release().value(), Released::expired);
  EXPECT_EQ(client.metrics().releases.expired, 1U);
}

TEST(Metrics, AWipedNodeIsInQuarantineUntilItOpens) {
  Nodes nodes(1, core::Ttl(2'000));
  const Client client = open(nodes);
  ASSERT_TRUE(client.lock("a", short_lease()).try_acquire());
  nodes[0].command({"FLUSHALL"});
  const auto refused = client.lock("b", short_lease()).try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(client.metrics().acquisitions.not_open, 1U) << to_string(refused.error());
  // The refusal says that there is no record. That there is a quarantine by now is heard with the next answer.
  ASSERT_TRUE(wait_until([&] {
    EXPECT_FALSE(client.lock("b", short_lease()).try_acquire());
    return client.metrics().nodes.at(0).quarantined;
  }));
  const Metrics wiped = client.metrics();
  ASSERT_TRUE(wiped.nodes.at(0).quarantine_left);
  EXPECT_GT(*wiped.nodes.at(0).quarantine_left, 0ns);
  EXPECT_LT(*wiped.nodes.at(0).quarantine_left, 10s);
  ASSERT_TRUE(client.lock("b", short_lease()).acquire());
  EXPECT_FALSE(client.metrics().nodes.at(0).quarantined);
  EXPECT_FALSE(client.metrics().nodes.at(0).quarantine_left);
}

TEST(Metrics, OfSeveralNodesEachIsSeenByItself) {
  Nodes nodes(3);
  const Client client = open(nodes);
  nodes[2].kill();
  ASSERT_TRUE(client.lock("a").try_acquire());
  ASSERT_TRUE(wait_until([&] { return client.metrics().nodes.at(2).failures > 0; }));
  const Metrics metrics = client.metrics();
  EXPECT_EQ(metrics.nodes.at(0).up, true);
  EXPECT_EQ(metrics.nodes.at(1).up, true);
  EXPECT_EQ(metrics.nodes.at(2).up, false);
  EXPECT_EQ(metrics.nodes.at(2).round_trip.count(), 0U);
  EXPECT_GT(metrics.nodes.at(0).round_trip.count(), 0U);
}

TEST(Metrics, TheClockOfANodeIsComparedWithOurs) {
  ClockShim clock;
  Nodes nodes(1, cap_default, {.environment = clock.environment()});
  clock.step(1h);
  const Client client = open(nodes);
  const auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease);
  ASSERT_TRUE(wait_until([&] { return client.metrics().nodes.at(0).clock_offset.has_value(); }));
  EXPECT_GT(*client.metrics().nodes.at(0).clock_offset, 59min);
  EXPECT_LT(*client.metrics().nodes.at(0).clock_offset, 61min);
  EXPECT_EQ(client.metrics().nodes.at(0).clock_jumps, 0U);
  clock.step(-1h);
  ASSERT_TRUE(wait_until([&] { return client.metrics().nodes.at(0).clock_jumps == 1; }));
  EXPECT_LT(*client.metrics().nodes.at(0).clock_offset, 1min);
}

TEST(Metrics, AddressesComeWithoutTheirPassword) {
  ClientOptions options;
  options.nodes = {"redis://user:hunter2@127.0.0.1:1/3"};
  const Client client = Client::open(options).value();
  EXPECT_NE(client.metrics().nodes.at(0).address.find("127.0.0.1:1"), std::string::npos);
  for_each(client.metrics(), [](const Metric& metric) {
    for (const auto& label : metric.labels) EXPECT_EQ(label.value.find("hunter2"), label.value.npos);
  });
}

TEST(Metrics, ACloseLosesWhatIsHeldAndTheNumbersStay) {
  Nodes nodes(1);
  Client client = open(nodes);
  const auto lease = client.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  client.close();
  EXPECT_EQ(client.metrics().losses.closed, 1U);
  EXPECT_EQ(client.metrics().leases_held, 0U);
  EXPECT_EQ(client.metrics().acquisitions.granted, 1U);
}

TEST(Metrics, AChildHasNone) {
  Nodes nodes(1);
  const Client client = open(nodes);
  ASSERT_TRUE(client.lock("a").try_acquire());
  const pid_t child = fork();
  if (child == 0) _exit(client.metrics().nodes.empty() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Metrics, TheyCanBeReadWhileOthersAcquireAndANodeHangs) {
  Nodes nodes(1);
  const Client client = open(nodes);
  {
    std::jthread reader([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) EXPECT_LE(client.metrics().leases_held, 4U);
    });
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 100; ++round) {
          EXPECT_TRUE(client.lock("name-" + std::to_string(i)).try_acquire());
        }
      });
    }
  }
  EXPECT_EQ(client.metrics().acquisitions.granted, 400U);
  EXPECT_EQ(client.metrics().leases_held, 0U);
  nodes[0].pause();
  std::atomic<bool> waits = false;
  const std::jthread waiter([&] {
    const Wait wait{.wait_max = 1min, .on_waiting = [&](const Refusal&) { waits = true; }};
    EXPECT_TRUE(client.lock("a", {.ttl = 1s}).acquire(wait));
  });
  ASSERT_TRUE(wait_until([&] { return waits.load(); }));
  EXPECT_EQ(client.metrics().acquisitions.granted, 400U) << "it does not wait for the node";
  EXPECT_EQ(client.metrics().nodes.at(0).up, false);
  nodes[0].resume();
  EXPECT_TRUE(wait_until([&] { return client.metrics().acquisitions.granted == 401; }));
}

TEST(Metrics, AnElectionTellsWhoLeadsByNumbersAlone) {
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(two.election.start());
  const auto of = [](const Candidate& it) { return it.client.metrics().elections.at(0); };
  ASSERT_TRUE(wait_until([&] { return of(two).leader_seen; }));
  EXPECT_TRUE(of(one).leads);
  EXPECT_FALSE(of(two).leads);
  EXPECT_EQ(two.client.metrics().acquisitions_waiting, 0U) << "a candidate is no caller for a lock";
  EXPECT_EQ(of(one).term, one.election.term());
  EXPECT_EQ(of(two).term, of(one).term);
  EXPECT_EQ(of(two).leader_changes, 1U);
  EXPECT_EQ(one.client.metrics().leases_held, 1U);
  EXPECT_EQ(one.client.metrics().acquisitions.granted, 0U) << "nobody called for a lock";

  ASSERT_TRUE(one.election.stop());
  ASSERT_TRUE(two.wins());
  ASSERT_TRUE(wait_until([&] { return of(two).leader_changes == 2; }));
  EXPECT_TRUE(of(two).leads);
  EXPECT_EQ(of(two).number, 1U);
  EXPECT_TRUE(one.client.metrics().elections.empty()) << "it takes part no more";
  EXPECT_EQ(one.client.metrics().losses.stopped, 1U);
  EXPECT_EQ(one.client.metrics().handover.count(), 1U);
  EXPECT_EQ(one.client.metrics().leases_held, 0U);

  ASSERT_TRUE(one.election.start());
  EXPECT_EQ(of(one).number, 1U) << "it is the same election";
}

TEST(Metrics, AFleetTellsItsShareAndWhatMoves) {
  Nodes nodes(1);
  Member one(nodes, "web-1", sessions(10));
  const auto of = [](Member& it) { return it.client().metrics().fleet.value(); };
  ASSERT_TRUE(wait_until([&] { return of(one).owned == 10 && of(one).share == 10; }));
  EXPECT_EQ(of(one).sessions, 10U);
  EXPECT_EQ(of(one).instances, 1U);
  EXPECT_EQ(of(one).gained, 10U);
  EXPECT_EQ(one.client().metrics().leases_held, 10U);
  EXPECT_FALSE(of(one).data) << "the heartbeats are on the first node";
  {
    Member two(nodes, "web-2", sessions(10));
    ASSERT_TRUE(wait_until([&] { return of(one).owned == 5 && of(two).owned == 5; }));
    EXPECT_EQ(of(one).share, 5U);
    EXPECT_EQ(of(one).instances, 2U);
    EXPECT_EQ(of(one).ended.rebalance, 5U);
    EXPECT_EQ(one.client().metrics().handover.count(), 5U);
    ASSERT_TRUE(two.fleet().stop());
    EXPECT_EQ(of(two).ended.stopped, 5U);
    EXPECT_EQ(of(two).owned, 0U);
    EXPECT_EQ(of(two).sessions, 0U) << "it takes part no more";
  }
  ASSERT_TRUE(wait_until([&] { return of(one).owned == 10; }));
  one.fleet().share(sessions(9));
  EXPECT_TRUE(wait_until([&] { return of(one).ended.removed == 1 && of(one).sessions == 9; }));
}

TEST(Metrics, HeartbeatsElsewhereAreANodeOfTheirOwn) {
  Nodes nodes(1);
  RedisServer data;
  FleetOptions options = short_lives();
  options.data = data.url();
  Member one(nodes, "web-1", sessions(2), options);
  ASSERT_TRUE(wait_until([&] { return one.owned().size() == 2; }));
  const FleetMetrics fleet = one.client().metrics().fleet.value();
  ASSERT_TRUE(fleet.data);
  EXPECT_EQ(fleet.data->address, data.url());
  EXPECT_EQ(fleet.data->up, true);
  EXPECT_GT(fleet.data->round_trip.count(), 0U);
}

PollOutcome outcome_of(const Session& session) {
  if (session.id == "bad") return {.error = "as asked"};
  return {.ok = true};
}

TEST(Metrics, PollsTellHowTheyEndedAndHowLateTheyBegan) {
  RedisServer server;
  PollerOptions options;
  options.data = server.url();
  Polling here(CallbackPoll{[](const Session& session, const SessionLease&, const std::stop_token&) {
                 return outcome_of(session);
               }},
               options);
  here.sessions.set({.good = {{.id = "good", .address = "x", .interval = 100ms},
                              {.id = "bad", .address = "x", .interval = 100ms}}});
  EXPECT_EQ(here.poller.metrics().lateness.count(), 0U) << "it has not started";
  ASSERT_TRUE(here.poller.start());
  // No lease is shown to the store, so that it takes no result.
  ASSERT_TRUE(wait_until([&] {
    const auto now = here.poller.metrics();
    return now.succeeded >= 2 && now.failed >= 1 && now.results_refused >= 1;
  }));
  here.poller.stop();
  const PollerMetrics metrics = here.poller.metrics();
  const PollCounts counts = here.poller.counts();
  EXPECT_EQ(metrics.succeeded, counts.succeeded);
  EXPECT_EQ(metrics.failed, counts.failed);
  EXPECT_EQ(metrics.lateness.count(), counts.started);
  EXPECT_EQ(metrics.latency.count(), counts.succeeded + counts.failed);
  EXPECT_EQ(metrics.in_flight, 0U);
  EXPECT_EQ(metrics.results_refused, counts.refused);
}

// A page that a busy instance would serve: locks, an election, a fleet that polls, and a node that is away.
TEST(Metrics, ABusyInstanceHasAPageThatSatisfiesPromtool) {
  Nodes nodes(3);
  Candidate one(nodes, "web-1");
  Client& client = one.client;
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  const auto fleet = client.fleet("poll", short_lives()).value();
  Named named;
  Sessions good;
  for (const auto& id : sessions(20)) good.good.push_back({.id = id, .address = "x", .interval = 100ms});
  named.set(good);
  Poller poller(*fleet, std::make_unique<NamedSource>(named),
                CallbackPoll{[](const Session& session, const SessionLease&, const std::stop_token&) {
                  return outcome_of(session);
                }});
  ASSERT_TRUE(poller.start());
  const auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease);
  EXPECT_FALSE(open(nodes).lock("a").try_acquire());
  nodes[2].kill();
  ASSERT_TRUE(wait_until([&] {
    const Metrics now = client.metrics();
    return poller.metrics().succeeded > 40 && now.renewals.renewed > 0 && now.nodes.at(2).up == false;
  }));
  const PollerMetrics polls = poller.metrics();
  const std::string page = metrics::prometheus_text(client.metrics(), &polls);
  EXPECT_EQ(promtool_complaints(page), "") << page;
  EXPECT_NE(page.find("tenure_leases_held 22\n"), std::string::npos) << page;
}

}  // namespace
}  // namespace tenure::test
