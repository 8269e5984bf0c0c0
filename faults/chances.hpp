// Which faults a store can suffer, how often each is drawn, compared with others, and how long it lasts.
#pragma once

#include <vector>

#include "faults/crowd.hpp"
#include "faults/fault.hpp"

namespace tenure::faults {

struct Chance {
  Kind kind{};
  unsigned weight = 0;
  core::Duration shortest{};
  core::Duration longest{};
};

inline constexpr Chance step_back{Kind::step_back, 2, {}, {}};
// Nobody has reached the node for longer than a lease lasts.
inline constexpr Chance step_forward{Kind::step_forward, 2, ttl + std::chrono::seconds(1),
                                     ttl + std::chrono::seconds(1)};

struct Chances {
  std::vector<Chance> node;
  std::vector<Chance> data;   // of the server of the sessions: what costs no data
  std::vector<Chance> alone;  // of one that has all there is: likewise
  std::vector<Chance> client;
};

const Chances& chances_of(Store store);

}  // namespace tenure::faults
