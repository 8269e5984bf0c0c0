// On which nodes the client hears the messages for its waiters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/nodes.hpp"

namespace tenure::core {

class Subscriptions {
 public:
  explicit Subscriptions(std::size_t nodes) : listening_(nodes, false) {}

  void set(NodeIndex node, bool listening) { listening_.at(node) = listening; }
  const std::vector<bool>& nodes() const { return listening_; }
  // Will a release be heard, wherever a majority hears of it? A minority that is deaf does not matter.
  bool reach_majority() const {
    return static_cast<std::size_t>(std::ranges::count(listening_, true)) >= quorum_of(listening_.size());
  }

 private:
  std::vector<bool> listening_;
};

}  // namespace tenure::core
