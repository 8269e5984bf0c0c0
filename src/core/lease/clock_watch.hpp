// Watches the wall clocks of the nodes, by which their keys expire. A clock that jumps forward frees leases
// before their holders know: such a node is not counted for new grants until all leases it had are over. What
// is not seen in time is not prevented: then only the tokens hold (S2).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"

namespace tenure::core {

class ClockWatch {
 public:
  ClockWatch(std::size_t nodes, Ttl cap) : nodes_(nodes), cap_(cap) {}

  // Is it time to ask this node what its clock shows? Seldom: it costs a command.
  bool due(NodeIndex node, Time now) const;
  void on_sent(NodeIndex node, Time now) { nodes_.at(node).sent = now; }
  // How far its clock has jumped since it was last seen, if it has.
  std::optional<Duration> on_reply(NodeIndex node, const Reply& reply, Time now);

  // Until when a grant of this node does not count; nothing when it does.
  std::optional<Time> distrusted_until(NodeIndex node, Time now) const;

  // What the clock showed at some moment between two moments of ours.
  struct Look {
    Duration shown{};
    Time after{};
    Time before{};
  };
  // The last one, if any.
  const std::optional<Look>& last_look(NodeIndex node) const { return nodes_.at(node).last; }
  std::size_t nodes() const { return nodes_.size(); }

 private:
  struct Node {
    std::optional<Time> sent{};
    std::optional<Look> last{};
    Time distrusted_until = long_ago;
  };

  std::vector<Node> nodes_;
  Ttl cap_;
};

}  // namespace tenure::core
