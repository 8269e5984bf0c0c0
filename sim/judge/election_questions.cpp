#include "sim/judge/election_questions.hpp"

#include <algorithm>
#include <map>

namespace tenure::sim {

void ElectionQuestions::ask() {
  ask_for_first_leader();
  ask_for_steadiness();
  ask_for_next_leader();
  ask_for_hand_over();
  ask_for_leader_elsewhere();
  ask_for_end();
}

std::size_t ElectionQuestions::leader_of(const std::string& key) const {
  const auto found =
      std::ranges::find_if(processes_, [&](const auto& it) { return it->candidacy(key).leads(); });
  return static_cast<std::size_t>(found - processes_.begin());
}

bool ElectionQuestions::all_led(const Wanted& wanted) const {
  return std::ranges::all_of(shared_.plan.elections, [&](const auto& plan) {
    const std::size_t leader = leader_of(plan.key);
    return leader < processes_.size() && wanted(leader, plan);
  });
}

// Whoever takes part looks now and then; what it is told last is the one who leads (T51).
void ElectionQuestions::expect_agreement() {
  Duration longest{};
  for (const auto& plan : shared_.plan.elections) longest = std::max(longest, plan.look_every);
  course_.expect("T51", longest * 5 / 4 + round_trips(), "who leads is not known to everybody", [&] {
    return all_led([&](std::size_t leader, const core::ElectionPlan& plan) {
      const auto& shown = processes_[leader]->candidacy(plan.key).leader();
      return std::ranges::all_of(
          processes_, [&](const auto& it) { return shown && it->candidacy(plan.key).leader() == shown; });
    });
  });
}

// A lone candidate; then others join, and the last of three or more only observes. All over new connections: one that died in
// the storm, and was not used since, would be noticed by a time-out only.
void ElectionQuestions::ask_for_first_leader() {
  processes_[0]->crash();
  processes_[0]->join_elections(true);
  course_.expect("L1", round_trips(), "an election got no leader within a few round trips",
                 [&] { return all_led([](auto...) { return true; }); });
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    processes_[i]->crash();
    processes_[i]->join_elections(i < 2 || i + 1 < processes_.size());
  }
  expect_agreement();
}

void ElectionQuestions::ask_for_steadiness() {
  std::map<std::string, core::Token> terms;
  for (const auto& plan : shared_.plan.elections) {
    terms[plan.key] = processes_[0]->candidacy(plan.key).term();
  }
  run_for(shared_.plan.timing.ttl * 2);
  course_.expect("L5", {}, "a leader was lost in calm weather", [&] {
    return all_led([&](std::size_t leader, const core::ElectionPlan& plan) {
      return processes_[leader]->candidacy(plan.key).term() == terms[plan.key];
    });
  });
}

void ElectionQuestions::ask_for_next_leader() {
  processes_[0]->crash();
  course_.expect("L2", expiry(), "a dead leader was not replaced in time",
                 [&] { return all_led([](auto...) { return true; }); });
  expect_agreement();
}

// Its work drains for as long as its lease lasts, at most. Then who waits has its turn soon; with one node, where
// there is a queue, before who stepped down. With several nodes votes may split, and must not for long (L6).
void ElectionQuestions::ask_for_hand_over() {
  const std::string& key = shared_.plan.elections[0].key;
  const std::size_t before = leader_of(key);
  if (course_.over()) return;
  Candidacy& stepping_down = processes_[before]->candidacy(key);
  stepping_down.step_down();
  course_.expect("L8", expiry(), "the work of a leader that stepped down does not drain",
                 [&] { return stepping_down.term() == 0; });
  const bool queued = shared_.plan.nodes == 1;
  const Duration soon =
      queued ? std::chrono::milliseconds(320) + round_trips() : Duration(std::chrono::seconds(2));
  course_.expect(queued ? "L1" : "L6", soon, "nobody leads after a leader stepped down", [&] {
    const std::size_t next = leader_of(key);
    return next < processes_.size() && (next != before || !queued);
  });
  expect_agreement();
}

// A leader that is cut off gives up, and another leads before it is back. Who is cut off sees nobody lead.
void ElectionQuestions::ask_for_leader_elsewhere() {
  const core::ElectionPlan& plan = shared_.plan.elections[0];
  const std::size_t leader = leader_of(plan.key);
  if (course_.over()) return;
  std::vector<std::size_t> blind{leader};
  if (processes_.size() > 2) blind.push_back(processes_.size() - 1);
  for (const std::size_t client : blind) {
    for (std::size_t node = 0; node < shared_.plan.lease_servers(); ++node) {
      shared_.network.cut(client, node, {.length = expiry() * 3});
    }
  }
  course_.expect("L2", expiry(), "a leader that was cut off was not replaced in time",
                 [&] { return all_led([&](std::size_t now, auto&) { return now != leader; }); });
  course_.expect("T51", expiry() + plan.look_every, "who cannot see who leads was not told that", [&] {
    return std::ranges::none_of(blind, [&](std::size_t client) {
      return processes_[client]->candidacy(plan.key).leader().has_value();
    });
  });
  run_for(expiry() * 3);
  expect_agreement();
}

void ElectionQuestions::ask_for_end() {
  for (const auto& process : processes_) process->retire();
  course_.expect("L8", shared_.plan.timing.ttl + round_trips(), "an election does not end",
                 [&] { return std::ranges::all_of(processes_, [](const auto& it) { return it->idle(); }); });
}

}  // namespace tenure::sim
