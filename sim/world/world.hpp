// One simulated world from one seed: a storm of faults, then calm, then questions about what is left.
// The same seed gives the same world, event for event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/judge/judge.hpp"
#include "sim/redis/script_host.hpp"
#include "sim/world/faults.hpp"
#include "sim/world/plan.hpp"

namespace tenure::sim {

struct Outcome {
  std::optional<Violation> violation{};
  std::uint64_t hash = 0;
  std::uint64_t calls = 0;  // scripts that a node ran, except looks
  std::uint64_t grants = 0;
  std::uint64_t terms = 0;     // those of them that began a term
  std::uint64_t sessions = 0;  // and those by which an instance took a session
  Rounds rounds{};
  FaultCounts faults{};  // how many of each
  Slack slack;
};

struct WorldOptions {
  std::uint64_t seed = 0;
  Faults faults;
  Profile profile{};
  bool trace = false;
};

// An exception out of a world is a violation named CRASH.
Outcome run_world(const WorldOptions& options, ScriptHost& host);

// Which world this thread runs, for whoever reports that it was aborted.
std::uint64_t seed_of_this_thread();

}  // namespace tenure::sim
