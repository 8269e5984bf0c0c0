// What was seen from outside the product: who wrote with which token when, and whom the run itself stopped.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "core/base/time.hpp"
#include "core/lease/grant.hpp"

namespace tenure::faults {

// Something done to a resource that only an owner may touch. It counts from before it was done, by the actor's own reading
// of the boot clock, which is the same for all processes: on its way to us it may have been held up.
struct Act {
  core::Time began{};
  bool accepted = false;  // no larger token had been here
};

// All acts of one process with one token.
struct Term {
  std::string name;
  std::string who;
  core::Token token = 0;
  pid_t pid = 0;
  std::vector<Act> acts{};  // as they came; never empty
};

// A client that the run stopped with everything it had started, and let go on.
struct Stop {
  std::string who;
  std::set<pid_t> pids;
  core::Time from{};   // just before the first of them was stopped
  core::Time until{};  // just before the first of them was continued
};

}  // namespace tenure::faults
