#include "sim/judge/lease_questions.hpp"

#include <algorithm>
#include <string>

namespace tenure::sim {

void LeaseQuestions::ask() {
  if (shared_.plan.clients <= few) {
    ask_for_liveness();
  } else {
    ask_a_crowd();
  }
}

void LeaseQuestions::ask_for_liveness() {
  const Duration ttl = shared_.plan.timing.ttl;
  const std::string& key = shared_.plan.names[0];
  Process& first = *processes_[0];
  Process& second = *processes_[1];
  take_turns();
  expect_given_back();
  if (!course_.over()) {
    wait_in_order();
    expect_given_back();
  }
  if (course_.over()) return;

  // Free names are granted within a few round trips, all at once over a new connection.
  first.crash();
  for (const auto& name : shared_.plan.names) first.wish_once(name, Duration::zero());
  course_.expect("L1", round_trips(), "a free name was not granted within a few round trips", [&] {
    return std::ranges::all_of(shared_.plan.names, [&](const auto& name) { return first.holds(name); });
  });
  // With nothing in its way a lease stays held.
  run_for(ttl * 2);
  course_.expect("L5", {}, "a lease was lost in calm weather", [&] { return first.holds(key); });
  // A dead owner is replaced when its TTL has run out; clocks may differ by a tenth.
  second.wish_once(key, std::nullopt);
  run_for(ttl / 2);
  first.crash();
  course_.expect("L2", ttl * 11 / 10 + std::chrono::milliseconds(400),
                 "a dead owner was not replaced in time", [&] { return second.holds(key); });
  // Who waits has the name soon after it is given back: at its next look, within 300 ms of its own clock.
  first.wish_once(key, std::nullopt);
  run_for(round_trips());
  second.retire();
  course_.expect("L1", std::chrono::milliseconds(320) + round_trips(),
                 "a waiter was not granted what was given back", [&] { return first.holds(key); });
  // What is given back while nodes cannot be reached is gone soon after they can; all nodes, or half of them.
  const bool all_nodes = random_.below(2) == 0;
  for (std::size_t node = 0; node < shared_.plan.lease_servers(); ++node) {
    if (all_nodes || node % 2 == 1)
      shared_.network.cut(0, node, {.length = shared_.plan.timing.node_timeout * 3 / 2});
  }
  if (shared_.plan.password) {
    first.retire();
  } else {
    first.forget_all();
  }
  course_.expect("L9", shared_.plan.timing.node_timeout * 5 + round_trips(),
                 "what was given back is still there", [&] { return nothing_held(); });

  for (const auto& process : processes_) process->retire();
}

// In a long queue not everybody is told of a release.
void LeaseQuestions::ask_a_crowd() {
  wait_in_order();
  expect_given_back();
  for (const auto& process : processes_) process->retire();
}

bool LeaseQuestions::turns_taken(std::uint64_t turns, std::size_t but_first) const {
  return std::all_of(processes_.begin() + static_cast<std::ptrdiff_t>(but_first), processes_.end(),
                     [&](const auto& process) { return process->turns() == turns; });
}

// All want a free name at the same moment. Votes that split end, and everybody has its turn.
void LeaseQuestions::take_turns() {
  const std::string& key = shared_.plan.names[0];
  const std::uint64_t turns = processes_.front()->turns() + 1;
  for (const auto& process : processes_) process->take_a_turn(key);
  course_.expect("L6", std::chrono::seconds(2), "nobody was granted a name that all wanted", [&] {
    return std::ranges::any_of(processes_, [&](const auto& process) { return process->turns() == turns; });
  });
  course_.expect("L7", std::chrono::seconds(shared_.plan.nodes == 1 ? 1 : 5),
                 "somebody who waits was never granted the name", [&] { return turns_taken(turns); });
}

// Who came first is served first; messages see to it, without anybody looking again. With several nodes the order is
// only roughly kept, and votes may split for a while.
void LeaseQuestions::wait_in_order() {
  const std::string& key = shared_.plan.names[0];
  const std::uint64_t turns = processes_[1]->turns() + 1;
  processes_[0]->wish_once(key, Duration::zero());
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    run_for(round_trips());
    processes_[i]->take_a_turn(key);
  }
  run_for(round_trips());
  // In every other world some in front, but never all, are in no state to come.
  const bool some_fail = processes_.size() > 2 && random_.below(2) == 0;
  const std::size_t lost = some_fail ? 1 + random_.below(processes_.size() - 2) : 0;
  LostWaiters cost;
  // Whoever came back in time to be served would let those still silent have their turns once more.
  cost.away =
      shared_.plan.timing.ttl / 2 + Duration(redis::turn_of_waiter) * 2 * static_cast<std::int64_t>(lost + 1);
  // Where not everybody is told, another turn is lost at each doubling of the number of the silent.
  if (lost > 8) cost.turns = Duration(redis::turn_of_waiter) * 2;
  for (std::size_t i = 1; i <= lost; ++i) lose_waiter(i, cost);
  run_for(round_trips());
  processes_[0]->retire();
  const Duration votes = shared_.plan.nodes == 1 ? Duration::zero() : std::chrono::seconds(2);
  course_.expect(
      "L7",
      round_trips() * static_cast<std::int64_t>(processes_.size()) + cost.turns * 5 / 4 + cost.deaf + votes,
      "a waiter was not called", [&] { return turns_taken(turns, 1 + lost); });
  for (std::size_t i = lost + 2; i < processes_.size() && shared_.plan.nodes == 1; ++i) {
    if (processes_[i]->last_turn() < processes_[i - 1]->last_turn() && !course_.over())
      shared_.judge.violated("L7", shared_.schedule.now(), "who came later was served before who came first");
  }
  // Who was stopped or cut off comes again, and waits anew.
  course_.expect("L7",
                 cost.away + shared_.plan.timing.ttl * 2 + shared_.plan.timing.node_timeout * 2 +
                     std::chrono::seconds(2),
                 "a waiter that was silent for a while was never granted the name", [&] {
                   return std::ranges::all_of(cost.come_back,
                                              [&](std::size_t i) { return processes_[i]->turns() == turns; });
                 });
  for (std::size_t i = 1; i <= lost; ++i) {
    processes_[i]->retire();
    processes_[i]->crash();
  }
}

// Killed, it is skipped at once. Stopped, or cut off without Redis noticing, it costs a turn. Deaf for a moment, it comes
// when it hears again.
void LeaseQuestions::lose_waiter(std::size_t which, LostWaiters& cost) {
  Process& process = *processes_[which];
  const auto how = random_.below(4);
  if (how == 0) {
    process.crash();
    return;
  }
  cost.come_back.push_back(which);
  if (how == 1) {
    for (std::size_t node = 0; node < shared_.plan.servers(); ++node) process.on_closed(node);
    cost.deaf = shared_.plan.timing.node_timeout * 5 / 4 + std::chrono::milliseconds(300);
    return;
  }
  cost.turns += redis::turn_of_waiter;
  if (how == 2) {
    process.pause(cost.away, false);
    return;
  }
  for (std::size_t node = 0; node < shared_.plan.servers(); ++node) {
    shared_.network.cut(which, node, {.length = cost.away});
  }
}

// Also by clients that hear of it only after the next has been called.
void LeaseQuestions::expect_given_back() {
  course_.expect("L9", round_trips() + std::chrono::milliseconds(250), "what was given back is still there",
                 [&] { return nothing_held(); });
  run_for(round_trips());
}

bool LeaseQuestions::nothing_held() const {
  return std::ranges::all_of(nodes_,
                             [&](const auto& node) { return node->leases(shared_.schedule.now()).empty(); });
}

}  // namespace tenure::sim
