// Interleaved blocks: each contestant works for a short while, in turn, many times over, so that what the machine
// does meanwhile hits all of them alike. What is compared is the median block.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tenure::bench {

struct Contestant {
  std::string name;
  std::function<void()> block;  // does `work` units
  double work = 1;
};

struct Measured {
  std::string name;
  double seconds = 0;  // a unit of work, in the median block
  double spread = 0;   // between the quartiles, of the median
  double cpu = 0;      // of this process, a unit of work
};

std::vector<Measured> measure(const std::vector<Contestant>& contestants, int rounds);

// A table: the time of each, and how fast it is as a share of the first.
void print(const std::string& title, const std::vector<Measured>& measured);

// This process and what it starts from now on, on one core or on all again.
void pin(bool to_one_core);

}  // namespace tenure::bench
