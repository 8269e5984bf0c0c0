// The nodes of a client: how many there may be, how many of them decide, and how much each is asked at a time.
#pragma once

#include <bitset>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tenure::core {

// Which of the configured nodes, counted from 0.
using NodeIndex = std::uint32_t;

inline constexpr std::size_t nodes_max = 31;

// A node may have parts, each of which has a record, an epoch and a counter of tokens of its own, and may be served by another
// process tomorrow, as a slot of a Redis Cluster is. Nearly all nodes have one part, 0.
using Part = std::uint16_t;
// In which part a lease is, by its key.
using PartOf = Part (*)(std::string_view key);

struct Place {
  NodeIndex node = 0;
  Part part = 0;

  auto operator<=>(const Place&) const = default;
};

// Some of them.
using NodeSet = std::bitset<nodes_max>;

// How many leases one request may name. It may block a whole server, for some 2 µs each: longer requests would be felt by
// everybody. A store that can take fewer says so.
struct BatchMax {
  std::size_t leases = 500;
};

// A majority of the configured nodes, not of those that can be reached (T7).
std::size_t quorum_of(std::size_t nodes);

std::vector<NodeIndex> all_nodes(std::size_t count);

}  // namespace tenure::core
