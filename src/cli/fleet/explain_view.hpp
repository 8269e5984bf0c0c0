// Why one session has the owner that it has: what placement says about it, worked out as every instance does. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/fleet/fleet_view.hpp"

namespace tenure::cli {

// An instance as it stands to one session.
struct Candidate {
  std::string id;
  std::uint32_t weight = 1;
  std::uint64_t owned = 0;
  std::size_t quota = 0;
};

struct Explanation {
  std::vector<Candidate> candidates{};  // the ready instances, who fits best first
  std::optional<std::string> placed{};  // who should have it; nothing: nobody is to
  std::string why{};                    // a sentence or two
};

// That one of the view's sessions.
Explanation explain(const FleetView& view, std::size_t session);

}  // namespace tenure::cli
