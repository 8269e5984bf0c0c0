// What a run came to, in words and figures.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "faults/crowd.hpp"
#include "faults/fault.hpp"
#include "faults/judge.hpp"

namespace tenure::faults {

struct Report {
  std::uint64_t seed = 0;
  core::Duration length{};
  Crowd crowd{};
  std::array<std::size_t, kinds> faults{};
  Verdict short_locks{};
  Verdict long_locks{};
  Verdict terms{};
  Verdict sessions{};
  std::size_t looks_at_results = 0;
  std::size_t results_went_back = 0;
  std::optional<core::Duration> alive_after{};  // the last fault
  std::string missing{};  // what was not alive again; empty also where nobody waited for it
  core::Duration longest_stall{};

  std::array<const Verdict*, 4> verdicts() const { return {&short_locks, &long_locks, &terms, &sessions}; }
  bool innocent() const {
    return results_went_back == 0 && std::ranges::all_of(verdicts(), [](auto* it) { return it->innocent(); });
  }
  bool passed() const { return innocent() && alive_after.has_value(); }
};

std::string to_text(const Report& report);
// One line while it runs.
std::string progress(const Report& report, core::Duration since);

}  // namespace tenure::faults
