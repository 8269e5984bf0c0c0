#include "sim/world/world.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.hpp"
#include "redis/cluster/slot.hpp"
#include "sim/judge/election_questions.hpp"
#include "sim/judge/fleet_questions.hpp"
#include "sim/judge/lease_questions.hpp"
#include "sim/world/course.hpp"
#include "sim/world/network.hpp"
#include "sim/world/process.hpp"
#include "sim/world/storm.hpp"

namespace tenure::sim {

namespace {

class World {
 public:
  World(const WorldOptions& options, ScriptHost& host);

  Outcome run();

 private:
  std::vector<std::unique_ptr<Node>> make_nodes(ScriptHost& host);
  std::unique_ptr<Cluster> make_cluster();
  std::vector<redis::Slot> slots() const;
  Setup setup() const;
  std::uint64_t calls() const;
  void storm();
  void end_quarantines();
  void calm_down();
  void ask_leases();
  void ask_elections();
  void ask_fleet();
  void wait_until_forgotten();
  void expect_empty();
  void run_until(TrueTime end) { course_.run_until(end); }
  template <class Predicate>
  bool run_until(TrueTime end, Predicate&& so) {
    return course_.run_until(end, so);
  }
  template <class Predicate>
  void expect(std::string_view invariant, Duration within, const std::string& otherwise, Predicate&& so) {
    course_.expect(invariant, within, otherwise, so);
  }
  bool over() const { return course_.over(); }
  Duration up_to(Duration longest) { return random_.between(Duration::zero(), longest); }

  core::Random random_;
  Plan plan_;
  Judge judge_;
  Terms terms_{judge_};
  Sharing sharing_{judge_};
  Trace trace_;
  Schedule schedule_;
  Course course_{schedule_, judge_};
  std::vector<std::unique_ptr<Node>> nodes_;  // in a Cluster its slots
  std::unique_ptr<Cluster> cluster_;
  Network network_;
  Roster roster_;
  Surroundings shared_;
  std::vector<std::unique_ptr<Process>> processes_;
  Storm storm_;
};

World::World(const WorldOptions& options, ScriptHost& host)
    : random_(options.seed),
      plan_(make_plan(options.faults, options.profile, random_)),
      // Sets of several nodes may shrink to two.
      judge_(has(plan_.faults, Fault::reconfigure) ? std::min(core::quorum_of(plan_.nodes), std::size_t{2})
                                                   : core::quorum_of(plan_.nodes)),
      trace_(options.trace),
      nodes_(make_nodes(host)),
      cluster_(make_cluster()),
      network_(plan_, schedule_, nodes_, cluster_.get(), core::Random(random_.next())),
      roster_(schedule_, plan_.fleet ? plan_.fleet->sessions : 0, core::Random(core::Random(random_).next())),
      shared_{plan_,    schedule_, network_, judge_,         terms_,
              sharing_, roster_,   trace_,   cluster_.get(), {setup()}},
      storm_(shared_, nodes_, processes_, random_) {
  const std::size_t first = cluster_ ? nodes_.size() : setup().nodes;
  for (std::size_t i = 0; i < first; ++i) nodes_[i]->init(schedule_.now());
  for (std::size_t i = 0; i < plan_.clients; ++i) {
    const LocalClock boot(up_to(std::chrono::hours(1000)), draw_drift(plan_, false, random_));
    const WallClock wall = draw_wall_clock(plan_, false, random_);
    processes_.push_back(
        std::make_unique<Process>(shared_, i, Clocks{boot, wall}, core::Random(random_.next())));
  }
}

std::vector<std::unique_ptr<Node>> World::make_nodes(ScriptHost& host) {
  std::vector<redis::Keyspace> keyspaces(plan_.servers(), setup().keyspace);
  if (plan_.shards > 0) {
    keyspaces.clear();
    for (const redis::Slot slot : slots()) keyspaces.push_back(setup().keyspace.of_slot(slot));
  }
  std::vector<std::unique_ptr<Node>> nodes;
  for (std::size_t i = 0; i < keyspaces.size(); ++i) {
    nodes.push_back(std::make_unique<Node>(i, host, keyspaces[i], draw_wall_clock(plan_, true, random_),
                                           judge_, core::Random(random_.next())));
  }
  return nodes;
}

std::unique_ptr<Cluster> World::make_cluster() {
  if (plan_.shards == 0) return nullptr;
  std::vector<WallClock> clocks;
  for (std::size_t i = 0; i < plan_.shards; ++i) clocks.push_back(draw_wall_clock(plan_, true, random_));
  return std::make_unique<Cluster>(std::move(clocks), slots(), nodes_, core::Random(random_.next()));
}

// Those in which there are leases, each once.
std::vector<redis::Slot> World::slots() const {
  std::vector<redis::Slot> slots;
  for (const std::string& key : plan_.keys()) {
    const redis::Slot slot = redis::slot_of(key);
    if (std::ranges::find(slots, slot) == slots.end()) slots.push_back(slot);
  }
  return slots;
}

Setup World::setup() const {
  Setup setup{.nodes = plan_.nodes, .timing = plan_.timing};
  // Where nodes are added and taken away, it begins with a few.
  if (has(plan_.faults, Fault::reconfigure)) setup.nodes = std::min<std::size_t>(plan_.nodes, 2);
  setup.keyspace.cap = plan_.cap;
  setup.keyspace.set = std::to_string(setup.nodes);
  return setup;
}

std::uint64_t World::calls() const {
  std::uint64_t calls = 0;
  for (const auto& node : nodes_) calls += node->calls();
  return calls;
}

Outcome World::run() {
  storm();
  // A clock that was set may keep a dead lease alive for hours.
  if (!over() && !storm_.set_a_clock()) {
    calm_down();
    if (!over()) ask_leases();
    if (!over() && !plan_.elections.empty()) ask_elections();
    if (!over() && plan_.fleet) ask_fleet();
  }
  processes_.clear();  // beliefs end with their processes
  judge_.compare_beliefs_with_grants();
  Outcome outcome;
  outcome.faults = storm_.faults();
  outcome.violation = judge_.violation();
  outcome.hash = trace_.hash();
  outcome.calls = calls();
  outcome.grants = judge_.grants();
  outcome.rounds = judge_.rounds();
  outcome.terms = terms_.count();
  outcome.sessions = sharing_.taken();
  outcome.slack = judge_.slack();
  outcome.faults[static_cast<std::size_t>(Fault::loss)] = network_.lost();
  outcome.faults[static_cast<std::size_t>(Fault::delay)] = network_.late();
  outcome.faults[static_cast<std::size_t>(Fault::duplicate)] = network_.doubled();
  if (has(plan_.faults, Fault::skew))
    outcome.faults[static_cast<std::size_t>(Fault::skew)] = plan_.clients + plan_.servers();
  if (has(plan_.faults, Fault::drift))
    outcome.faults[static_cast<std::size_t>(Fault::drift)] = plan_.clients + plan_.servers();
  return outcome;
}

void World::storm() {
  for (const auto& process : processes_) process->work();
  if (plan_.fleet) roster_.change(plan_.timing.ttl);
  storm_.begin();
  const TrueTime end = schedule_.now() + plan_.timing.ttl * 1000;
  run_until(end, [this] { return calls() >= plan_.calls_goal; });
}

void World::calm_down() {
  storm_.end();
  roster_.stay();
  trace_.event(schedule_.now(), "calm", 0, 0, [] { return std::string(); });
  const TrueTime end = schedule_.now() + plan_.timing.ttl * 10;
  run_until(end, [this] {
    for (const auto& process : processes_) {
      if (process->paused()) return false;
    }
    return true;
  });
  // Connections that only one side knows to be dead are noticed by both at some time.
  for (const auto& process : processes_) {
    for (std::size_t server = 0; server < plan_.servers(); ++server) process->on_closed(server);
  }
  for (const auto& process : processes_) process->retire();
  // What was held up in the network arrives, orphans expire, clean-ups end.
  wait_until_forgotten();
  expect_empty();
  if (!over()) end_quarantines();
}

// Whoever waits is granted after a quarantine at the latest, and clients that are there open every node.
void World::end_quarantines() {
  const Duration quarantine = Duration(plan_.cap_max) * 5 / 4;
  // In a Cluster each name may be in another slot, with a quarantine of its own.
  const std::vector<std::string> keys =
      cluster_ ? plan_.names : std::vector<std::string>{plan_.names.front()};
  const auto ask = [&](std::span<const std::unique_ptr<Process>> asked) {
    for (const std::string& key : keys) {
      const std::uint64_t turns = asked.empty() ? 0 : asked.front()->turns() + 1;
      for (const auto& process : asked) process->take_a_turn(key);
      expect("L2", quarantine + std::chrono::seconds(3) + plan_.timing.ttl * 2,
             "a name was not granted after the longest quarantine", [&] {
               return std::ranges::all_of(asked, [&](const auto& it) { return it->turns() == turns; });
             });
    }
  };
  const std::span<const std::unique_ptr<Process>> all(processes_);
  const std::size_t first = std::min(all.size(), few);
  ask(all.first(first));
  // Who has asked for nothing since a node came back with another clock would only notice that later, and trust it in
  // no grant for a while.
  if (!over()) ask(all.subspan(first));
  run_until(schedule_.now() + quarantine + std::chrono::seconds(2));
  for (const auto& process : processes_) process->retire();
  wait_until_forgotten();
  expect_empty();
}

void World::ask_leases() {
  LeaseQuestions(shared_, nodes_, processes_, course_, random_).ask();
  wait_until_forgotten();
  expect_empty();
}

void World::ask_elections() {
  ElectionQuestions(shared_, processes_, course_).ask();
  wait_until_forgotten();
  expect_empty();
}

void World::ask_fleet() {
  FleetQuestions(shared_, nodes_, processes_, course_, core::Random(random_.next())).ask();
  wait_until_forgotten();
  expect_empty();
  for (const auto& node : nodes_) {
    for (const auto& key : node->keys(schedule_.now())) {
      if (!over()) judge_.violated("L9", schedule_.now(), key + " is left behind by a fleet");
    }
  }
}

// Until leases that nobody gave back have run out, and queues in which nobody stands any more: these last as long as the
// turns that were announced in them.
void World::wait_until_forgotten() {
  const Duration queues = Duration(redis::turns_max * redis::turn_of_waiter) * 5 / 4;
  // Queues last for two caps; only where the cap was changed that may be longer than eight TTLs.
  run_until(schedule_.now() +
            std::max({Duration(plan_.timing.ttl * 8), queues, Duration(plan_.cap_max) * 5 / 2}));
}

// L9: when all is given back, nothing is left, neither in Redis nor in the clients.
void World::expect_empty() {
  if (over()) return;
  for (const auto& node : nodes_) {
    for (const auto& key : node->leases(schedule_.now())) {
      judge_.violated("L9", schedule_.now(), key + " is left behind in Redis");
    }
  }
  for (const auto& process : processes_) {
    if (!process->idle())
      judge_.violated("L9", schedule_.now(), "a client that gave everything back is not idle");
  }
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
