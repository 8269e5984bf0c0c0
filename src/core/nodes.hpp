// The nodes of a client: how many there may be, and how many of them decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenure::core {

// Which of the configured nodes, counted from 0.
using NodeIndex = std::uint32_t;

inline constexpr std::size_t nodes_max = 31;

// A majority of the configured nodes, not of those that can be reached (T7).
std::size_t quorum_of(std::size_t nodes);

std::vector<NodeIndex> all_nodes(std::size_t count);

}  // namespace tenure::core
