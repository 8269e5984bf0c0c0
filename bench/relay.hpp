// A name that participants pass on among themselves: each takes it, holds it for a millisecond, gives it back, and asks for
// it again when another has it. How long is it nobody's, is the order kept, does everybody get as much?
// The first lap is not counted: all ask for it at the same moment then, in no order.
#pragma once

#include <functional>
#include <vector>

namespace tenure::bench {

struct Participant {
  std::function<void()> acquire;  // blocks until it has it
  std::function<void()> release;
};

struct HandOvers {
  std::vector<double>
      seconds{};    // from just before the owner gives it back until the next one's acquire has returned
  double kept = 0;  // the share in which the next owner was who had asked first of those who waited
  double jain = 0;  // Jain's index of the acquisitions of each
};

HandOvers pass_on(const std::vector<Participant>& participants, std::size_t times);

// 1: everybody got as much; 1/n: one got all.
double jain(const std::vector<std::size_t>& counts);

}  // namespace tenure::bench
