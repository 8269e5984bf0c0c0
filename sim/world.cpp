#include "sim/world.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "sim/network.hpp"
#include "sim/process.hpp"

namespace tenure::sim {

namespace {

class World {
 public:
  World(const WorldOptions& options, ScriptHost& host);

  Outcome run();

 private:
  void storm();
  void calm_down();
  void ask_for_liveness();
  void expect_empty();
  void plan_next_fault();
  void inject(Fault fault);
  // Runs until then, or until the first violation.
  void run_until(TrueTime end);
  // Runs until it is so, or the time is over.
  template <class Predicate>
  bool run_until(TrueTime end, Predicate&& so);
  // It is so within that time, or the invariant is violated.
  template <class Predicate>
  void expect(std::string_view invariant, Duration within, const std::string& otherwise, Predicate&& so);
  bool over() const { return judge_.violation().has_value(); }
  Duration up_to(Duration longest) { return random_.between(Duration::zero(), longest); }

  core::Random random_;
  Plan plan_;
  Judge judge_;
  Trace trace_;
  Schedule schedule_;
  Node node_;
  Network network_;
  Surroundings shared_;
  std::vector<std::unique_ptr<Process>> processes_;
  Outcome outcome_;
  bool storming_ = true;
};

World::World(const WorldOptions& options, ScriptHost& host)
    : random_(options.seed),
      plan_(make_plan(options.faults, random_)),
      trace_(options.trace),
      node_(host, redis::Keyspace{},
            WallClock(std::chrono::hours(490'000) + up_to(std::chrono::hours(1000)),
                      draw_drift(plan_, true, random_)),
            judge_),
      network_(plan_, schedule_, node_, core::Random(random_.next())),
      shared_{plan_, schedule_, network_, judge_, trace_, redis::Keyspace{}} {
  node_.init(schedule_.now());
  for (std::size_t i = 0; i < plan_.clients; ++i) {
    const LocalClock clock(up_to(std::chrono::hours(1000)), draw_drift(plan_, false, random_));
    processes_.push_back(std::make_unique<Process>(shared_, i, clock, core::Random(random_.next())));
  }
}

Outcome World::run() {
  storm();
  if (!over()) calm_down();
  if (!over()) ask_for_liveness();
  processes_.clear();  // beliefs end with their processes
  judge_.compare_beliefs_with_grants();
  outcome_.violation = judge_.violation();
  outcome_.hash = trace_.hash();
  outcome_.calls = node_.calls();
  outcome_.grants = judge_.grants();
  outcome_.slack = judge_.slack();
  outcome_.faults[static_cast<std::size_t>(Fault::loss)] = network_.lost();
  outcome_.faults[static_cast<std::size_t>(Fault::delay)] = network_.late();
  outcome_.faults[static_cast<std::size_t>(Fault::duplicate)] = network_.doubled();
  if (has(plan_.faults, Fault::drift))
    outcome_.faults[static_cast<std::size_t>(Fault::drift)] = plan_.clients + 1;
  return outcome_;
}

void World::storm() {
  for (const auto& process : processes_) process->work();
  plan_next_fault();
  const TrueTime end = schedule_.now() + plan_.timing.ttl * 1000;
  run_until(end, [this] { return node_.calls() >= plan_.calls_goal; });
}

void World::calm_down() {
  storming_ = false;
  network_.calm();
  trace_.event(schedule_.now(), "calm", 0, 0, [] { return std::string(); });
  const TrueTime end = schedule_.now() + plan_.timing.ttl * 10;
  run_until(end, [this] {
    for (const auto& process : processes_) {
      if (process->paused()) return false;
    }
    return true;
  });
  for (const auto& process : processes_) process->retire();
  // What was held up in the network arrives, orphans expire, clean-ups end.
  run_until(schedule_.now() + plan_.timing.ttl * 8);
  expect_empty();
}

void World::ask_for_liveness() {
  const Duration round_trips = plan_.delay_usual * 40;
  const Duration ttl = plan_.timing.ttl;
  const std::string& key = plan_.names[0];
  Process& first = *processes_[0];
  Process& second = *processes_[1];

  // Free names are granted within a few round trips, all at once over a new connection.
  first.crash();
  for (const auto& name : plan_.names) first.wish_once(name, Duration::zero());
  expect("L1", round_trips, "a free name was not granted within a few round trips", [&] {
    return std::ranges::all_of(plan_.names, [&](const auto& name) { return first.holds(name); });
  });
  // With nothing in its way a lease stays held.
  run_until(schedule_.now() + ttl * 2);
  expect("L5", {}, "a lease was lost in calm weather", [&] { return first.holds(key); });
  // A dead owner is replaced when its TTL has run out; clocks may differ by a tenth.
  second.wish_once(key, std::nullopt);
  run_until(schedule_.now() + ttl / 2);
  first.crash();
  expect("L2", ttl * 11 / 10 + std::chrono::milliseconds(400), "a dead owner was not replaced in time",
         [&] { return second.holds(key); });
  // Who waits has the name soon after it is given back: at its next look, within 300 ms of its own clock.
  first.wish_once(key, std::nullopt);
  run_until(schedule_.now() + round_trips);
  second.retire();
  expect("L1", std::chrono::milliseconds(320) + round_trips, "a waiter was not granted what was given back",
         [&] { return first.holds(key); });
  // What is given back while the node cannot be reached is gone soon after it can.
  network_.cut(0, true, true, false, plan_.timing.node_timeout * 3 / 2);
  if (plan_.password) {
    first.retire();
  } else {
    first.forget_all();
  }
  expect("L9", plan_.timing.node_timeout * 5 + round_trips, "what was given back is still there",
         [&] { return node_.leases(schedule_.now()).empty(); });

  for (const auto& process : processes_) process->retire();
  run_until(schedule_.now() + ttl * 3);
  expect_empty();
}

template <class Predicate>
void World::expect(std::string_view invariant, Duration within, const std::string& otherwise,
                   Predicate&& so) {
  if (!run_until(schedule_.now() + within, so) && !over()) {
    judge_.violated(invariant, schedule_.now(), otherwise);
  }
}

// L9: when all is given back, nothing is left, neither in Redis nor in the clients.
void World::expect_empty() {
  if (over()) return;
  for (const auto& key : node_.leases(schedule_.now())) {
    judge_.violated("L9", schedule_.now(), key + " is left behind in Redis");
  }
  for (const auto& process : processes_) {
    if (!process->idle())
      judge_.violated("L9", schedule_.now(), "a client that gave everything back is not idle");
  }
}

void World::plan_next_fault() {
  schedule_.in(up_to(plan_.fault_every * 2), [this] {
    if (!storming_) return;
    const auto fault = static_cast<Fault>(random_.below(fault_names.size()));
    if (has(plan_.faults, fault)) inject(fault);
    plan_next_fault();
  });
}

void World::inject(Fault fault) {
  const Duration length = up_to(random_.below(3) == 0 ? plan_.timing.ttl * 3 : plan_.timing.ttl);
  const std::size_t client = random_.below(processes_.size());
  Process& process = *processes_[client];
  const bool hold = random_.below(2) == 0;
  const bool up = random_.below(2) == 0;
  switch (fault) {
    case Fault::partition:
      network_.cut(client, true, true, hold, length);
      break;
    case Fault::oneway:
      network_.cut(client, up, !up, hold, length);
      break;
    case Fault::pause:
    case Fault::suspend:
      if (process.paused()) return;
      process.pause(length, fault == Fault::suspend);
      break;
    case Fault::crash:
      process.crash();
      break;
    case Fault::flush:
      node_.flush_scripts(schedule_.now());
      break;
    case Fault::slow:
      if (hold) {
        network_.stop_node(length);
      } else {
        network_.slow_node(up_to(plan_.timing.node_timeout / 2), length);
      }
      break;
    case Fault::close:
      network_.on_closed(client);
      process.on_closed();
      break;
    case Fault::error:
      network_.refuse_scripts(length);
      break;
    case Fault::remove:
      judge_.on_broken_assumption();
      node_.remove(plan_.names[random_.below(plan_.names.size())], schedule_.now());
      break;
    case Fault::delay:
    case Fault::loss:
    case Fault::duplicate:
    case Fault::drift:
      return;  // these go on all the time
  }
  outcome_.faults[static_cast<std::size_t>(fault)] += 1;
  trace_.event(schedule_.now(), "fault", static_cast<std::uint64_t>(fault), client, [&] {
    return std::string(fault_names[static_cast<std::size_t>(fault)]) + " client " + std::to_string(client) +
           " for " + std::to_string(length.count() / 1'000'000) + " ms";
  });
}

void World::run_until(TrueTime end) {
  run_until(end, [] { return false; });
}

template <class Predicate>
bool World::run_until(TrueTime end, Predicate&& so) {
  while (!over()) {
    if (so()) return true;
    if (!schedule_.step(end)) {
      schedule_.skip_to(end);
      return so();
    }
  }
  return false;
}

}  // namespace

namespace {

thread_local std::uint64_t running_seed = 0;

}  // namespace

std::uint64_t seed_of_this_thread() { return running_seed; }

Outcome run_world(const WorldOptions& options, ScriptHost& host) {
  running_seed = options.seed;
  try {
    return World(options, host).run();
  } catch (const std::exception& error) {
    Outcome outcome;
    outcome.violation = {"CRASH", error.what(), {}};
    return outcome;
  }
}

}  // namespace tenure::sim
