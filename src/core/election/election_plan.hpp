// What an election needs to know. Made only by plan_election, which refuses lengths that cannot work together.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "core/lease/timing.hpp"

namespace tenure::core {

struct ElectionOptions {
  std::optional<Duration> lease{};  // 15 s, or the cap where that is shorter
  Duration ttl_max = ttl_max_default;
  // By default in proportion: 5 s, 5 s and 2 s for the usual lease.
  std::optional<Duration> renew{};  // a third of the lease
  std::optional<Duration> grace{};  // a third of the lease
  std::optional<Duration> drain{};  // two fifteenths of the lease
};

struct ElectionPlan {
  std::string key;
  bool candidate = true;  // else it only looks who leads
  Timing timing;          // whose grace is the time that the work gets to end
  Duration grace{};       // how long renewals that fail are tried before leadership is given up
  Duration look_every{};  // to see who leads
};

tl::expected<ElectionPlan, std::string> plan_election(std::string key, const ElectionOptions& options);

}  // namespace tenure::core
