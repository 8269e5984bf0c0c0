// Interleaved blocks: each contestant works for a short while, in turn, many times over, so that what the machine
// does meanwhile hits all of them alike. What is compared is the median block.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "row.hpp"

namespace tenure::bench {

// What a piece of work took, in seconds: by the clock, and of the processor by who did it.
struct Took {
  double seconds = 0;
  double cpu = 0;
};

// Work of this process.
Took timed(const std::function<void()>& work);

struct Contestant {
  std::string name;
  Kind kind = Kind::tenure;
  std::function<Took()> block;  // does `work` units
  double work = 1;
};

// The columns of what measure() gives, both for a unit of work.
inline constexpr const char* time_column = "time";
inline constexpr const char* cpu_column = "client CPU";

// A peer that fails is left out from then on, with a remark. What else fails ends the benchmark.
std::vector<Entry> measure(const std::vector<Contestant>& contestants, int rounds);

// p50 and p99 of latencies in seconds.
std::vector<Figure> latencies(const std::vector<double>& seconds);

// The value below which that share of them lies.
double quantile(std::vector<double> values, double share);

}  // namespace tenure::bench
