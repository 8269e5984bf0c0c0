// The simulated Redis answers like a real one, and has the same data after every step, so that what is
// proved about the scripts in the simulator holds where they ship.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "sequence.hpp"

namespace tenure::conformance {
namespace {

constexpr std::uint64_t seeds = 600;
constexpr int steps = 40;

TEST(Conformance, RandomHistoriesGoTheSameWayOnARealRedis) {
  test::RedisServer real;
  sim::ScriptHost host;
  Twins twins(real, host);
  const char* chosen = std::getenv("TENURE_SEED");
  const std::uint64_t first = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 1;
  const std::uint64_t last = chosen != nullptr ? first : seeds;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    Sequence sequence(twins, seed);
    std::string differs = sequence.begin();
    for (int step = 1; step <= steps && differs.empty(); ++step) {
      differs = sequence.step();
      if (chosen != nullptr) std::cout << step << "  " << sequence.told() << "\n";
      if (!differs.empty())
        differs = "step " + std::to_string(step) + ", " + sequence.told() + "\n" + differs;
    }
    ASSERT_EQ(differs, "") << "seed " << seed << "; TENURE_SEED=" << seed << " replays it alone";
  }
}

}  // namespace
}  // namespace tenure::conformance
