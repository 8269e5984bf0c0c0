// The simulated Redis answers like a real one, and has the same data after every step, so that what is
// proved about the scripts in the simulator holds where they ship.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "sequence.hpp"

namespace tenure::conformance {
namespace {

constexpr std::uint64_t seeds = 700;
constexpr int steps = 50;

// Every kind of answer that the scripts can give.
constexpr auto answers = {
    "acquire: token",
    "acquire: what was kept for it",
    "acquire: held",
    "acquire: queued",
    "acquire: quarantined",
    "acquire: open",
    "acquire: no record",
    "acquire: restored",
    "acquire: raised a lost counter",
    "acquire: minted a proposal",
    "acquire: minted another than proposed",
    "confirm: 1",
    "confirm: 0",
    "confirm: -1",
    "confirm: raised a lost counter",
    "renew: 1",
    "renew: 0",
    "renew: -1",
    "renew: open",
    "renew: quarantined",
    "release: 1",
    "release: 0",
    "release: -1",
    "release: kept for a waiter",
    "release: others told when to look",
    "release: one of those told left",
    "reassert: 1",
    "reassert: 0",
    "reassert: -1",
    "reassert: open",
    "reassert: quarantined",
    "reassert: no record",
    "reassert: restored",
    "reassert: raised a lost counter",
    "admit: opened",
    "admit: restarted",
    "admit: restored",
    "admit: unknown",
    "admit: open",
    "admit: quarantined",
    "open: open",
    "open: quarantined",
    "open: no record",
    "init: made",
    "init: exists",
    "reconfigure: made",
    "reconfigure: changed",
    "publish_result: 1",
    "publish_result: 0",
    "publish_result: -1",
    "look: there",
    "look: nothing there",
    "look: not a lease",
    "look: without expiry",
    "look: kept for a waiter",
    "look: waited for",
    "break: 1",
    "break: 2",
    "break: 0",
    "break: -1",
};

TEST(Conformance, RandomHistoriesGoTheSameWayOnARealRedis) {
  test::RedisServer real;
  sim::ScriptHost host;
  Twins twins(real, host);
  Tally tally;
  const char* chosen = std::getenv("TENURE_SEED");
  const std::uint64_t first = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 1;
  const std::uint64_t last = chosen != nullptr ? first : seeds;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    Sequence sequence(twins, seed, tally);
    std::string differs = sequence.begin();
    for (int step = 1; step <= steps && differs.empty(); ++step) {
      differs = sequence.step();
      if (chosen != nullptr) std::cout << step << "  " << sequence.told() << "\n";
      if (!differs.empty())
        differs = "step " + std::to_string(step) + ", " + sequence.told() + "\n" + differs;
    }
    ASSERT_EQ(differs, "") << "seed " << seed << "; TENURE_SEED=" << seed << " replays it alone";
  }
  if (chosen != nullptr) return;
  for (const char* answer : answers) EXPECT_GT(tally[answer], 0) << answer;
  EXPECT_GT(twins.heard(), 0U);
  EXPECT_GT(twins.unheard(), 0U);
}

}  // namespace
}  // namespace tenure::conformance
