// Many worlds, one seed after the other, on as many threads as asked for; what they add up to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "sim/world.hpp"

namespace tenure::sim {

struct CampaignOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t runs = 1;
  unsigned jobs = 1;
  Faults faults;
  Profile profile{};
  std::optional<std::filesystem::path> scripts{};
};

struct Tally {
  std::uint64_t worlds = 0;
  std::uint64_t calls = 0;
  std::uint64_t grants = 0;
  std::uint64_t terms = 0;
  std::uint64_t sessions = 0;
  std::array<std::uint64_t, fault_names.size()> faults{};
  Slack slack;
  Duration cpu{};  // of all threads together
  // The violation with the lowest seed among those found before the campaign stopped.
  std::optional<std::uint64_t> failed_seed{};
  std::optional<Violation> violation{};
};

// Stops at the first violation. Every hundredth seed is run twice, and must give the same trace (S14).
Tally run_campaign(const CampaignOptions& options, const std::function<void(std::uint64_t worlds)>& progress);

}  // namespace tenure::sim
