// What is asked of elections once faults have stopped: one without a leader gets one, a dead leader is replaced, and
// everybody comes to know who leads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/world/course.hpp"
#include "sim/world/process.hpp"

namespace tenure::sim {

class ElectionQuestions {
 public:
  ElectionQuestions(Surroundings& surroundings, std::vector<std::unique_ptr<Process>>& processes,
                    Course& course)
      : shared_(surroundings), processes_(processes), course_(course) {}

  void ask();

 private:
  using Wanted = std::function<bool(std::size_t process, const core::ElectionPlan& plan)>;

  void ask_for_first_leader();
  void ask_for_steadiness();
  void ask_for_next_leader();
  void ask_for_hand_over();
  void ask_for_leader_elsewhere();
  void ask_for_end();
  void expect_agreement();
  // Who leads it, or as many as there are processes.
  std::size_t leader_of(const std::string& key) const;
  // Does every election have a leader that is wanted?
  bool all_led(const Wanted& wanted) const;

  Duration round_trips() const { return shared_.plan.delay_usual * 40; }
  // When whoever waits notices that a name is free: its TTL has run out, by clocks that differ by a tenth.
  Duration expiry() const { return shared_.plan.timing.ttl * 11 / 10 + std::chrono::milliseconds(400); }
  void run_for(Duration length) { course_.run_until(shared_.schedule.now() + length); }

  Surroundings& shared_;
  std::vector<std::unique_ptr<Process>>& processes_;
  Course& course_;
};

}  // namespace tenure::sim
