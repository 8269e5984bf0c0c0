// Watches the wall clocks of the nodes, by which their keys expire. A clock that jumps forward frees leases
// before their holders know: such a node is not counted for new grants until all leases it had are over. What
// is not seen in time is not prevented: then only the tokens hold (S2).
// The parts of a node may be served by several servers, each with its own clock; which one it is, an answer tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"

namespace tenure::core {

class ClockWatch {
 public:
  ClockWatch(std::size_t nodes, Ttl cap) : nodes_(nodes), cap_(cap) {}

  // Is it time to ask what the clock of this part shows? Seldom: it costs a command.
  bool due(Place place, Time now) const;
  void on_sent(Place place, Time now);
  // How far the clock has jumped since it was last seen, if it has.
  std::optional<Duration> on_reply(Place place, const Reply& reply, Time now);
  // Another server may serve this part from now on.
  void on_moved(Place place);

  // Until when a grant of this part does not count; nothing when it does.
  std::optional<Time> distrusted_until(Place place, Time now) const;

  // What the clock showed at some moment between two moments of ours.
  struct Look {
    Duration shown{};
    Time after{};
    Time before{};
  };
  // The last one at the clock of a node that has one part, if any.
  std::optional<Look> last_look(NodeIndex node) const;
  std::size_t nodes() const { return nodes_.size(); }

 private:
  using ClockId = std::uint64_t;  // NodeClock::clock

  struct Clock {
    std::optional<Look> last{};
    std::optional<Part> asked_for{};  // the part whose question after it is not answered yet
    Time distrusted_until = long_ago;
  };
  struct Known {
    std::optional<Time> sent{};
    std::optional<ClockId> clock{};  // none: nobody has told yet
  };
  struct Node {
    std::map<ClockId, Clock> clocks{};
    std::unordered_map<Part, Known> parts{};  // looked up only: their order decides nothing
  };

  // Null: not known.
  const Clock* clock_of(Place place) const;

  std::vector<Node> nodes_;
  Ttl cap_;
};

}  // namespace tenure::core
