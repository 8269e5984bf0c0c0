// Many worlds, one seed after the other, on as many threads as asked for; what they add up to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "sim/world/world.hpp"

namespace tenure::sim {

struct CampaignOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t runs = 1;
  unsigned jobs = 1;
  Faults faults;
  Profile profile{};
  std::optional<std::filesystem::path> scripts{};
  bool stop_at_liveness = true;  // or only note such a violation and go on
};

// A violation, and the world that it happened in.
struct Found {
  std::uint64_t seed = 0;
  Violation violation;
};

struct Tally {
  std::uint64_t worlds = 0;
  std::uint64_t calls = 0;
  std::uint64_t grants = 0;
  std::uint64_t terms = 0;
  std::uint64_t sessions = 0;
  Rounds rounds{};
  std::array<std::uint64_t, fault_names.size()> faults{};
  Slack slack;
  Duration cpu{};  // of all threads together
  // The violation with the lowest seed among those found before the campaign stopped.
  std::optional<Found> violation{};
  // Violations of liveness that did not stop it, by ascending seed.
  std::vector<Found> noted{};
};

// Is what was violated a promise that something happens in time (L1 to L9)? All others say that something never happens.
inline bool is_liveness(const Violation& violation) { return violation.invariant.starts_with('L'); }

// Stops at the first violation, unless it is to be noted only. Every hundredth seed is run twice, and must give the same trace (S14).
Tally run_campaign(const CampaignOptions& options, const std::function<void(std::uint64_t worlds)>& progress);

}  // namespace tenure::sim
