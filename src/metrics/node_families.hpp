// What a client's counts and a look at the nodes call the same.
#pragma once

#include <string_view>

namespace tenure::metrics {

struct Family {
  std::string_view name;
  std::string_view help;
};

inline constexpr Family node_up{"tenure_node_up", "Whether the last request to the node was answered."};
inline constexpr Family node_quarantined{
    "tenure_node_quarantined", "Whether the node gives no new leases because its data may be incomplete."};
inline constexpr Family node_clock_offset{"tenure_node_clock_offset_seconds",
                                          "The node's wall clock minus ours, when last looked at."};

}  // namespace tenure::metrics
