#include "core/nodes.hpp"

#include <numeric>

namespace tenure::core {

std::size_t quorum_of(std::size_t nodes) { return nodes / 2 + 1; }

std::vector<NodeIndex> all_nodes(std::size_t count) {
  std::vector<NodeIndex> nodes(count);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

}  // namespace tenure::core
