// Judges by acts alone whether a name ever had two owners, and whether tokens grew.
//
// Rule. The acts of one grant span the time from its first to its last. Spans of two grants of a name must not touch: if they
// do, that is an overlap. Ordered by their first acts, tokens must grow, and each be used by one process: else they are out of
// order.
//
// One thing no lock can prevent: a client that is stopped as a whole (SIGSTOP to tenure, its watchdog and its command) past
// its deadline goes on where it was, and its command acts until the watchdog, which stood still with it, has run again. Such
// an act is excused, and counted as a stale one, if all of this is true: it comes after the first act with a larger token,
// the very process that acts was stopped by us, it acts within `going_on_max` after it was continued, and the name passed on
// because of that: while it was stopped, or at most `passed_on_max` later. A command whose tenure alone was stopped or killed is never excused: its watchdog has to end it in time. Nor is a process that the machine
// was slow to run: its act counts from when it began.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "faults/evidence.hpp"
#include "faults/slack.hpp"

namespace tenure::faults {

// A watchdog that runs again kills at once; this is for a machine that has much else to do.
inline constexpr std::chrono::milliseconds going_on_max{2'000};
// A lease that ran out while its owner was stopped may be granted anew just when it goes on.
inline constexpr std::chrono::milliseconds passed_on_max{100};

struct Verdict {
  std::size_t grants = 0;
  std::size_t acts = 0;
  std::size_t refused = 0;   // by the resource: they came with a smaller token than it had seen
  std::size_t excused = 0;   // see above
  std::size_t overlaps = 0;  // of grants
  std::size_t disorders = 0;
  Slack slack{};                         // from the last act of one grant to the first of the next
  std::vector<std::string> sentences{};  // one for each overlap and disorder

  bool innocent() const { return overlaps == 0 && disorders == 0; }
};

// By name.
std::map<std::string, Verdict> judge(const std::vector<Term>& terms, const std::vector<Stop>& stops);

}  // namespace tenure::faults
