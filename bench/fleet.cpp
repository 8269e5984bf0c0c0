#include <csignal>
#include <mutex>
#include <thread>

#include "benches.hpp"
#include "cores.hpp"
#include "instances.hpp"
#include "measure.hpp"
#include "stage.hpp"
#include "usage.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = BootClock;

double in_seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

std::unique_ptr<Fleet> fleet_of(Client& client, milliseconds ttl) {
  return client.fleet("poll", {.ttl = ttl}).value();
}

void start(Fleet& fleet) {
  if (const auto joined = fleet.start(); !joined) throw std::runtime_error(joined.error().message);
}

// From the end of the work on a session here to the start of it there.
std::vector<double> gaps(int rounds) {
  std::vector<double> all;
  const test::Nodes nodes = start_nodes(1);
  const std::string url = url_of(nodes);
  const auto sessions = session_names(40);
  for (int round = 0; round < rounds; ++round) {
    std::mutex mutex;
    std::map<std::string, Clock::time_point> ended;
    Client one = client_of({url}, "one");
    Client two = client_of({url}, "two");
    const auto first = fleet_of(one, seconds(30));
    const auto second = fleet_of(two, seconds(30));
    first->on_event([&](const FleetEvent& event) {
      if (event.kind != FleetEvent::Kind::ending) return;
      {
        const std::lock_guard lock(mutex);
        ended[event.session] = Clock::now();
      }
      first->ended(event.session, event.token);
    });
    second->on_event([&](const FleetEvent& event) {
      const auto now = Clock::now();
      const std::lock_guard lock(mutex);
      if (event.kind == FleetEvent::Kind::acquired && ended.contains(event.session))
        all.push_back(in_seconds(now - ended[event.session]));
      if (event.kind == FleetEvent::Kind::ending) second->ended(event.session, event.token);
    });
    first->share(sessions);
    second->share(sessions);
    start(*first);
    expect(test::wait_until([&] { return first->owned_sessions().size() == sessions.size(); }),
           "the first does not own all");
    start(*second);
    expect(test::wait_until([&] { return second->owned_sessions().size() == sessions.size() / 2; }),
           "the second is not given half of them");
  }
  return all;
}

// Ten of them start, one joins, one is stopped, one is killed.
Row changes(Stage& stage) {
  constexpr std::size_t sessions = 10'000;
  const seconds ttl(stage.quick() ? 5 : 30);
  const std::string length = std::to_string(ttl.count()) + " s";
  Row row{"fleet", "A fleet of 10 instances and 10,000 sessions that changes",
          "Instances are processes, the TTL is " + length +
              ". Balanced is: every session has an owner that lives, and no instance has more than one "
              "session more than another."};
  const auto event = [&](const char* name, double took, double at_most) {
    row.entries.push_back({name, Kind::tenure, {{"time", took}}});
    row.goals.push_back({name, took, Goal::Side::at_most, at_most, Unit::seconds});
  };
  Instances all(sessions, ttl);
  for (int i = 0; i < 10; ++i) all.start();
  event("started together, until balanced", all.time_until([&] { return all.balanced(); }), 15);
  const auto before = all.owners();
  all.start();
  const double joined = all.time_until([&] { return all.balanced(); });
  row.entries.push_back({"one more joins, until balanced", Kind::tenure, {{"time", joined}}});
  const auto after = all.owners();
  double moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1 : 0;
  row.goals.push_back({"moves after a join / the 1/11 that must",
                       moved / (static_cast<double>(sessions) / 11), Goal::Side::at_most, 1.1});
  all.end(all.last(), SIGTERM);
  event("one is stopped, until its sessions are owned",
        all.time_until([&] { return all.all_owned_by_the_living(); }), 1);
  all.time_until([&] { return all.balanced(); });
  all.end(all.last(), SIGKILL);
  event("one is killed, until its sessions are owned",
        all.time_until([&] { return all.all_owned_by_the_living(); }), in_seconds(ttl) + 1);
  return row;
}

Row hand_over_gap(Stage& stage) {
  constexpr const char* ours = "Tenure, two instances";
  Row row{"gap", "A session is handed over: from the end of the work here to its start there",
          "An instance joins one that has 40 sessions, and is given half of them."};
  row.entries = {{ours, Kind::tenure, latencies(gaps(stage.rounds()))}};
  row.goals = {{"p50", row.find(ours, "p50"), Goal::Side::at_most, 0.005, Unit::seconds},
               {"p99", row.find(ours, "p99"), Goal::Side::at_most, 0.05, Unit::seconds}};
  return row;
}

// What it costs while nothing happens.
void idle(std::size_t sessions, const std::string& name, Stage& stage, Row& row) {
  const seconds watched(stage.quick() ? 5 : 20);
  Instances all(sessions, seconds(30));
  for (int i = 0; i < 10; ++i) all.start();
  const double steady = all.time_until([&] { return all.balanced(); });
  std::this_thread::sleep_for(seconds(stage.quick() ? 5 : 10));  // everybody has seen that it is
  std::map<pid_t, double> from;
  for (const pid_t pid : all.pids()) from[pid] = cpu_of(pid);
  const double redis_from = cpu_of(all.server().pid());
  std::this_thread::sleep_for(watched);
  const double share = 100 / in_seconds(watched);
  const double redis = (cpu_of(all.server().pid()) - redis_from) * share;
  double most = 0;
  double memory = 0;
  for (const pid_t pid : all.pids()) {
    most = std::max(most, (cpu_of(pid) - from[pid]) * share);
    memory = std::max(memory, megabytes_of(pid));
  }
  row.entries.push_back({name,
                         Kind::tenure,
                         {{"Redis", redis, Unit::percent},
                          {"the busiest instance", most, Unit::percent},
                          {"its memory", memory, Unit::megabytes},
                          {"until balanced", steady}}});
  if (sessions < 100'000) return;
  row.goals = {{"Redis, of a core", redis, Goal::Side::at_most, 10, Unit::percent},
               {"an instance, of a core", most, Goal::Side::at_most, 5, Unit::percent},
               {"an instance's memory", memory, Goal::Side::at_most, 100, Unit::megabytes}};
}

}  // namespace

void fleet_instance(const std::string& url, const std::string& id, std::size_t sessions, milliseconds ttl) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  Client client = client_of({url}, id);
  const auto fleet = fleet_of(client, ttl);
  fleet->share(session_names(sessions));
  start(*fleet);
  int signal = 0;
  sigwait(&ends, &signal);
  fleet->stop();
}

Rows fleet(Stage& stage) { return {changes(stage), hand_over_gap(stage)}; }

Rows idle_fleet(Stage& stage) {
  Row row{"idle", "What a fleet of 10 instances costs while nothing happens",
          "By the default TTL of 30 s, in shares of a core. Leases are renewed and heartbeats written, but "
          "nobody comes or goes."};
  idle(1'000, "1,000 sessions", stage, row);
  idle(10'000, "10,000 sessions", stage, row);
  if (!stage.quick()) idle(100'000, "100,000 sessions", stage, row);
  return {row};
}

}  // namespace tenure::bench
