// Lets a world go on: until a moment, until something is so, or until the first violation.
#pragma once

#include <string>
#include <string_view>

#include "sim/judge/judge.hpp"
#include "sim/world/schedule.hpp"

namespace tenure::sim {

class Course {
 public:
  Course(Schedule& schedule, Judge& judge) : schedule_(schedule), judge_(judge) {}

  bool over() const { return judge_.violation().has_value(); }

  void run_until(TrueTime end) {
    run_until(end, [] { return false; });
  }

  // Runs until it is so, or the time is over.
  template <class Predicate>
  bool run_until(TrueTime end, Predicate&& so) {
    while (!over()) {
      if (so()) return true;
      if (!schedule_.step(end)) {
        schedule_.skip_to(end);
        return so();
      }
    }
    return false;
  }

  // It is so within that time, or the invariant is violated.
  template <class Predicate>
  void expect(std::string_view invariant, Duration within, const std::string& otherwise, Predicate&& so) {
    if (!run_until(schedule_.now() + within, so) && !over()) {
      judge_.violated(invariant, schedule_.now(), otherwise);
    }
  }

 private:
  Schedule& schedule_;
  Judge& judge_;
};

}  // namespace tenure::sim
