// What one lease has on each node: since when it is armed there, or that the node has refused it.
// Small, because there is one for every lease: with one node it needs no memory of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/time.hpp"
#include "core/nodes.hpp"

namespace tenure::core {

class Seats {
 public:
  explicit Seats(std::size_t nodes) : nodes_(static_cast<std::uint32_t>(nodes)) {
    must(nodes > 0 && nodes <= nodes_max, "a lease lives on 1 to 31 nodes");
    if (nodes > 1) {
      several_ = std::make_unique<Time[]>(nodes);
      std::fill_n(several_.get(), nodes, long_ago);
    }
  }

  // The send of the last request that is known to have armed it there; long_ago where it is not there.
  Time armed(NodeIndex node) const {
    must(node < nodes_, "a seat is on a configured node");
    return nodes_ == 1 ? one_ : several_[node];
  }
  void arm(NodeIndex node, Time sent) {
    Time& armed = at(node);
    armed = std::max(armed, sent);
    refused_ &= ~bit(node);
  }
  // The node does not have it.
  void vacate(NodeIndex node) { at(node) = long_ago; }
  // It is asked to take it.
  void ask_again(NodeIndex node) { refused_ &= ~bit(node); }
  // And does not take it.
  void refuse(NodeIndex node) {
    vacate(node);
    refused_ |= bit(node);
  }

  // Since when a majority of the configured nodes has it: the last of the best half.
  Time quorum_armed() const {
    if (nodes_ == 1) return one_;
    std::vector<Time> armed(several_.get(), several_.get() + nodes_);
    const std::size_t last = quorum_of(nodes_) - 1;
    std::ranges::nth_element(armed, armed.begin() + static_cast<std::ptrdiff_t>(last), std::greater<>());
    return armed[last];
  }
  // So many have refused that no majority is left.
  bool hopeless() const {
    return static_cast<std::size_t>(std::popcount(refused_)) > nodes_ - quorum_of(nodes_);
  }

 private:
  Time& at(NodeIndex node) {
    must(node < nodes_, "a seat is on a configured node");
    return nodes_ == 1 ? one_ : several_[node];
  }
  static std::uint32_t bit(NodeIndex node) { return std::uint32_t{1} << node; }

  Time one_ = long_ago;
  std::unique_ptr<Time[]> several_{};
  std::uint32_t nodes_;
  std::uint32_t refused_ = 0;
};

}  // namespace tenure::core
