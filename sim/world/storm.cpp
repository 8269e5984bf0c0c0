#include "sim/world/storm.hpp"

#include <algorithm>
#include <string>

namespace tenure::sim {

namespace {

bool is_promotion(Fault fault) { return fault == Fault::failover || fault == Fault::split; }

}  // namespace

void Storm::begin() { plan_next(); }

void Storm::end() {
  blows_ = false;
  shared_.network.calm();
  if (shared_.cluster != nullptr) shared_.cluster->finish_moves();
  if (!has(shared_.plan.faults, Fault::reconfigure)) return;
  operator_.finish();
  for (const auto& process : processes_) process->crash();
}

void Storm::plan_next() {
  shared_.schedule.in(up_to(shared_.plan.fault_every * 2), [this] {
    if (!blows_) return;
    const Fault fault = draw();
    // Tokens outlive lost data only by clocks that are right within the cap. And a node that has forgotten which set it
    // belongs to joins that of whoever comes first.
    const bool forgets = fault == Fault::rollback || fault == Fault::wipe || fault == Fault::flushall ||
                         fault == Fault::restore || is_promotion(fault);
    const bool needs_clocks = forgets || fault == Fault::fence;
    if (has(shared_.plan.faults, fault) && !(needs_clocks && has(shared_.plan.faults, Fault::step)) &&
        !(forgets && has(shared_.plan.faults, Fault::reconfigure)))
      inject(fault);
    plan_next();
  });
}

Fault Storm::draw() {
  const Faults& faults = shared_.plan.faults;
  for (const Fault promotion : {Fault::failover, Fault::split}) {
    if (has(faults, promotion) && random_.below(10) == 0) return promotion;
  }
  if (has(faults, Fault::reshard) && random_.below(4) == 0) return Fault::reshard;
  const bool more =
      has(faults, Fault::fence) || has(faults, Fault::restore) || has(faults, Fault::reconfigure);
  const auto fault = static_cast<Fault>(random_.below(more ? faults_drawn_together : faults_drawn_always));
  const bool often = has(faults, Fault::reconfigure) && random_.below(15) == 0;
  return often ? Fault::reconfigure : fault;
}

void Storm::inject(Fault fault) {
  const Duration length =
      up_to(random_.below(3) == 0 ? shared_.plan.timing.ttl * 3 : shared_.plan.timing.ttl);
  const std::size_t client = random_.below(processes_.size());
  // A data node gives no leases and no tokens: there these would be no fault.
  const bool of_leases =
      fault == Fault::remove || fault == Fault::fence || fault == Fault::step || is_promotion(fault);
  const std::size_t node = random_.below(of_leases ? shared_.plan.lease_servers() : shared_.plan.servers());
  Process& process = *processes_[client];
  const bool hold = random_.below(2) == 0;
  const bool up = random_.below(2) == 0;
  switch (fault) {
    case Fault::partition:
      // From one node, or from all.
      for (std::size_t i = 0; i < shared_.plan.servers(); ++i) {
        if (up || i == node) shared_.network.cut(client, i, {.length = length, .hold = hold});
      }
      break;
    case Fault::oneway:
      shared_.network.cut(client, node,
                          {.length = length, .only = up ? Direction::up : Direction::down, .hold = hold});
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
      for (Node* it : nodes_at(node)) it->flush_scripts(shared_.schedule.now());
      break;
    case Fault::slow:
      if (hold) {
        shared_.network.stop_node(node, length);
      } else {
        shared_.network.slow_node(node, up_to(shared_.plan.timing.node_timeout / 2), length);
      }
      break;
    case Fault::close:
      shared_.network.on_hindrance(client, node);
      process.on_closed(node);
      break;
    case Fault::error:
      shared_.network.refuse_scripts(node, length);
      break;
    case Fault::remove:
      shared_.judge.on_broken_assumption();
      remove(node, some_name());
      break;
    case Fault::fence:
      if (!past_all_tokens(node)) return;
      nodes_[node]->remove(shared_.setups.back().keyspace.fence(), shared_.schedule.now());
      break;
    case Fault::restore:
      if (!nodes_[node]->go_back()) return;
      // What a data node forgets excuses nothing that is promised of leases.
      if (node < shared_.plan.nodes) shared_.judge.on_data_went_back();
      break;
    case Fault::restart:
      restart(node, Memory::all, length);
      break;
    case Fault::rollback:
      restart(node, Memory::older, up ? Duration::zero() : length);
      break;
    case Fault::wipe:
      restart(node, Memory::none, up ? Duration::zero() : length);
      break;
    case Fault::flushall:
      for (Node* it : nodes_at(node)) it->wipe(shared_.schedule.now());
      break;
    case Fault::step:
      shared_.judge.on_broken_assumption();
      set_a_clock_ = true;
      shared_.network.excuse_losses(node);
      step_clock(node, random_.between(-std::chrono::hours(3), std::chrono::hours(3)));
      break;
    case Fault::failover:
      fail_over(node, Deposed::refuses, length);
      break;
    case Fault::split:
      shared_.judge.on_two_masters();
      shared_.network.excuse_losses(node);
      fail_over(node, Deposed::writes, length);
      break;
    case Fault::reshard:
      if (!begin_move()) return;
      break;
    case Fault::reconfigure:
      operator_.begin();
      // Many are told, sooner or later.
      for (const auto& it : processes_) {
        if (random_.below(2) == 0) {
          shared_.schedule.in(length, [this, &it] {
            if (blows_) it->crash();
          });
        }
      }
      break;
    case Fault::delay:
    case Fault::loss:
    case Fault::duplicate:
    case Fault::drift:
    case Fault::skew:
      return;  // these go on all the time
  }
  faults_[static_cast<std::size_t>(fault)] += 1;
  shared_.trace.event(shared_.schedule.now(), "fault", static_cast<std::uint64_t>(fault), client, [&] {
    return std::string(fault_names[static_cast<std::size_t>(fault)]) + " client " + std::to_string(client) +
           " node " + std::to_string(node) + " for " + std::to_string(length.count() / 1'000'000) + " ms";
  });
}

std::string Storm::some_name() {
  const Plan& plan = shared_.plan;
  const auto& sessions = shared_.roster.sessions();
  if (!sessions.empty() && random_.below(2) == 0)
    return fleet_prefix + "lease:" + sessions[random_.below(sessions.size())];
  const std::size_t i = random_.below(plan.names.size() + plan.elections.size());
  return i < plan.names.size() ? plan.names[i] : plan.elections[i - plan.names.size()].key;
}

// A counter that was deleted goes on at the node's clock. One that is behind the clock of another node could be below
// what that one has just given.
bool Storm::past_all_tokens(std::size_t node) const {
  const TrueTime now = shared_.schedule.now();
  return std::ranges::all_of(nodes_, [&](const auto& it) {
    return it->last_token(now) < static_cast<core::Token>(nodes_[node]->clock(now).us);
  });
}

// That server; in a Cluster the slots that it serves.
std::vector<Node*> Storm::nodes_at(std::size_t server) const {
  if (shared_.cluster == nullptr) return {nodes_[server].get()};
  std::vector<Node*> nodes;
  for (const std::size_t node : shared_.cluster->nodes_of(server)) nodes.push_back(nodes_[node].get());
  return nodes;
}

void Storm::remove(std::size_t server, const std::string& key) {
  const std::size_t node = shared_.cluster != nullptr ? shared_.cluster->node_of(key) : server;
  nodes_[node]->remove(key, shared_.schedule.now());
}

void Storm::step_clock(std::size_t server, Duration by) {
  if (shared_.cluster != nullptr) return shared_.cluster->step_clock(server, by);
  nodes_[server]->step_clock(by);
}

// Some slot, to some other server. What is asked for meanwhile may have to wait.
bool Storm::begin_move() {
  const std::size_t node = random_.below(nodes_.size());
  if (!shared_.cluster->begin_move(node, random_.below(shared_.plan.shards))) return false;
  go_on_moving(node);
  return true;
}

void Storm::go_on_moving(std::size_t node) {
  const Duration next = up_to(shared_.plan.timing.ttl / (1 + static_cast<std::int64_t>(random_.below(20))));
  for (std::size_t server = 0; server < shared_.plan.shards; ++server) {
    shared_.network.on_move(server, shared_.schedule.now() + next);
  }
  shared_.schedule.in(next, [this, node] {
    if (shared_.cluster->go_on_moving(node, shared_.schedule.now())) go_on_moving(node);
  });
}

// The clients see their connections closed; some only in time.
void Storm::restart(std::size_t node, Memory memory, Duration down) {
  const WallClock clock = draw_wall_clock(shared_.plan, true, random_);
  if (shared_.cluster != nullptr) {
    shared_.cluster->restart(node, memory, clock, shared_.schedule.now());
  } else {
    nodes_[node]->restart(memory, clock, shared_.schedule.now());
  }
  shared_.network.restart_node(node, down);
  for (const auto& process : processes_) {
    if (random_.below(5) != 0) process->on_closed(node);
  }
}

// Some clients hear of it at once; the others stay with the old master.
void Storm::fail_over(std::size_t node, Deposed deposed, Duration old_master_for) {
  const WallClock clock = draw_wall_clock(shared_.plan, true, random_);
  if (shared_.cluster != nullptr) {
    shared_.cluster->fail_over(node, deposed, clock, shared_.schedule.now());
  } else {
    nodes_[node]->fail_over(deposed, clock, shared_.schedule.now());
  }
  shared_.network.fail_over_node(node, old_master_for);
  for (const auto& process : processes_) {
    if (random_.below(2) == 0) process->on_closed(node);
  }
}

}  // namespace tenure::sim
