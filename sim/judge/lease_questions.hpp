// What is asked of leases once faults have stopped: a free name is granted at once, a dead owner is replaced, those who
// wait are served in order, and what is given back is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/world/course.hpp"
#include "sim/world/process.hpp"

namespace tenure::sim {

class LeaseQuestions {
 public:
  // The random numbers are the world's own: what it draws afterwards follows from how many were drawn here.
  LeaseQuestions(Surroundings& surroundings, std::vector<std::unique_ptr<Node>>& nodes,
                 std::vector<std::unique_ptr<Process>>& processes, Course& course, core::Random& random)
      : shared_(surroundings), nodes_(nodes), processes_(processes), course_(course), random_(random) {}

  void ask();

 private:
  // What waiters that are lost cost those behind them.
  struct LostWaiters {
    Duration away{};  // how long they are
    Duration turns{};
    Duration deaf{};
    std::vector<std::size_t> come_back{};  // those of them that do, in time
  };

  void ask_for_liveness();
  void ask_a_crowd();
  void take_turns();
  void wait_in_order();
  void lose_waiter(std::size_t which, LostWaiters& cost);
  void expect_given_back();
  // Have all but the first so many taken that many turns?
  bool turns_taken(std::uint64_t turns, std::size_t but_first = 0) const;
  bool nothing_held() const;

  Duration round_trips() const { return shared_.plan.delay_usual * 40; }
  void run_for(Duration length) { course_.run_until(shared_.schedule.now() + length); }

  Surroundings& shared_;
  std::vector<std::unique_ptr<Node>>& nodes_;
  std::vector<std::unique_ptr<Process>>& processes_;
  Course& course_;
  core::Random& random_;
};

}  // namespace tenure::sim
