// What the core wants done, in words that stay the same from run to run.
#pragma once

#include <map>
#include <string>

#include "core/action.hpp"

namespace tenure::scenario {

// Who is who. Ids and nonces mean nothing to a reader, so each has the name that the story gave it.
struct Cast {
  std::map<core::AcquireId, std::string> acquires;
  std::map<core::LeaseId, std::string> leases;
  std::map<std::string, std::string> grants;  // by their stamps
  std::map<std::string, std::string> values;  // the whole value of each lease
};

// "+3.2s" after the story began, to the millisecond.
std::string time_in_words(core::Time time);
std::string in_words(const core::Action& action, const Cast& cast);

}  // namespace tenure::scenario
