// Where the heartbeats of a fleet are on a Redis of their own: what happens when that alone is away?
#include <algorithm>

#include "sim/judge/fleet_questions.hpp"

namespace tenure::sim {

void FleetQuestions::ask_without_data_node() {
  switch (random_.below(4)) {
    case 0:
      ask_at_rest_without_data_node();
      break;
    case 1:
      ask_after_cut_from_data_node();
      break;
    case 2:
      ask_after_death_without_data_node();
      break;
    default:
      ask_after_join_without_data_node();
      break;
  }
}

void FleetQuestions::stop_data_node(Duration length) {
  const std::size_t node = *shared_.plan.data_node();
  if (random_.below(2) == 0) return shared_.network.stop_node(node, length);
  nodes_[node]->restart(Memory::none, draw_wall_clock(shared_.plan, true, random_), shared_.schedule.now());
  shared_.network.restart_node(node, length);
  for (const auto& process : processes_) process->on_closed(node);
}

// Nobody knows who lives, and the leases go on: owners keep what they have. That is so, too, when it is back and the first
// to beat see nobody else.
void FleetQuestions::ask_at_rest_without_data_node() {
  const Duration length = random_.between(Duration::zero(), owned_after_death_within() * 2);
  const Mark before = mark();
  stop_data_node(length);
  run_for(length);
  expect_no_moves(before, "only the data node was away");
  run_for(beaten_within() + rest_within());
  expect_no_moves(before, "the data node came back");
}

// The others count it as dead and wait for what it has; its leases stand, so that nobody gets any of it.
void FleetQuestions::ask_after_cut_from_data_node() {
  const Duration length = owned_after_death_within() * 2;
  const InstanceIndex blind = some_instance();
  if (!nothing_moves_without(blind)) return;
  const Mark before = mark();
  shared_.network.cut(blind, *shared_.plan.data_node(), {.length = length});
  run_for(length);
  expect_no_moves(before, "one was cut off from the data node only");
  run_for(beaten_within() + rest_within());
  expect_no_moves(before, "one saw the data node again");
}

// Who died meanwhile is replaced when its last beat has run out, which may have waited for the data node.
void FleetQuestions::ask_after_death_without_data_node() {
  const InstanceIndex dead = some_instance();
  const Duration length = random_.between(Duration::zero(), owned_after_death_within() * 2);
  stop_data_node(length);
  if (instances() > 1) membership(dead).stay_away();
  processes_[dead]->crash();
  run_for(length);
  course_.expect("L2", beaten_within() + owned_after_death_within(),
                 "who died while the data node was away is not replaced", [&] { return all_owned(); });
  // Until its beat has run out it is counted, so that shares may be even only afterwards.
  expect_rest("L3", by_slow_clock(by_slow_clock(shared_.plan.timing.ttl)) + rest_within(),
              "what it had is not shared by the others");
  ask_for_steadiness();
}

// Who comes meanwhile gets nothing, and its share when it is heard of.
void FleetQuestions::ask_after_join_without_data_node() {
  const InstanceIndex late = some_instance();
  const Duration length = random_.between(Duration::zero(), owned_after_death_within());
  membership(late).end();
  if (instances() > 1) expect_rest("L3", rest_within(), "what was left is not shared by the others");
  run_for(settled_within);
  stop_data_node(length);
  const Mark before = mark();
  membership(late).begin_calmly();
  run_for(length);
  if (shared_.sharing.taken() != before.taken) {
    shared_.judge.violated("T53", shared_.schedule.now(), "sessions changed hands without the data node");
  }
  // Also where nothing is to move the others know of it only then.
  run_for(beaten_within() + rest_within());
  expect_rest("L3", Duration::zero(), "who joined while the data node was away does not get its share");
}

}  // namespace tenure::sim
