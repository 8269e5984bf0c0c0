// One simulated world from one seed: a storm of faults, then calm, then questions about what is left.
// The same seed gives the same world, event for event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/faults.hpp"
#include "sim/judge.hpp"
#include "sim/script_host.hpp"

namespace tenure::sim {

struct Outcome {
  std::optional<Violation> violation{};
  std::uint64_t hash = 0;
  std::uint64_t calls = 0;  // scripts that a node ran
  std::uint64_t grants = 0;
  std::array<std::uint64_t, fault_names.size()> faults{};  // how many of each
  Slack slack;
};

struct WorldOptions {
  std::uint64_t seed = 0;
  Faults faults;
  bool trace = false;
};

Outcome run_world(const WorldOptions& options, ScriptHost& host);

}  // namespace tenure::sim
