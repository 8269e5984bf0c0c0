// A simulated Redis Cluster: servers, and the slots in which a world has leases. Such a slot is a Node, which now one server
// serves and now another; servers answer for slots that they do not serve as Redis does. A slot moves key by key.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "redis/cluster/slot_map.hpp"
#include "sim/redis/node.hpp"

namespace tenure::sim {

class Cluster {
 public:
  // The nodes are the slots, in this order.
  Cluster(std::vector<WallClock> clocks, std::vector<redis::Slot> slots,
          std::vector<std::unique_ptr<Node>>& nodes, core::Random random);

  // What that server says, be it the old master behind its address.
  redis::Value serve(std::size_t server, const redis::Command& command, bool asking, bool at_old_master,
                     TrueTime now);
  // Who serves which slot, as the Cluster says it; or as a part of it does that has not heard yet that this server gave slots away.
  redis::SlotMap map(std::optional<std::size_t> still = {}) const;
  static redis::HostPort place(std::size_t server) {
    return {"127.0.0.1", static_cast<std::uint16_t>(7000 + server)};
  }
  static std::size_t server_at(const redis::HostPort& place) { return place.port - std::size_t{7000}; }

  std::size_t servers() const { return servers_.size(); }
  std::size_t slots() const { return slots_.size(); }
  // The slots of that server.
  std::vector<std::size_t> nodes_of(std::size_t server) const;
  // In which of the slots a lease is.
  std::size_t node_of(const std::string& key) const;

  // What happens to a server happens to all its slots. A move that is under way is finished before.
  void restart(std::size_t server, Memory memory, const WallClock& clock, TrueTime now);
  void fail_over(std::size_t server, Deposed deposed, const WallClock& clock, TrueTime now);
  void step_clock(std::size_t server, Duration by);

  // A slot begins to move. False: it is doing so; or its server has come to another life that nobody has met yet. Moved back to
  // a server whose life its record shows, it would look as if nothing had happened: docs/protocol.md, "What breaks it".
  bool begin_move(std::size_t node, std::size_t to);
  // One more of its keys goes. False: there was none left, and it has moved.
  bool go_on_moving(std::size_t node, TrueTime now);
  // All that are moving have moved.
  void finish_moves();

 private:
  struct Server {
    Identity life{};
    WallClock clock;
    std::set<std::size_t> had{};  // what the master before it served
  };
  struct Place {
    std::size_t owner = 0;
    std::optional<std::size_t> before{};  // who served it until it moved last
    std::optional<std::size_t> target{};
    std::set<std::string> gone{};  // the keys that are at the target
    bool forgot = false;           // its server may have, and nobody has been there since
  };

  std::optional<std::size_t> find_node(const std::string& key) const;
  void new_life(std::size_t server, const WallClock& clock);
  void finish_moves(std::size_t server);
  void finish_move(std::size_t node);
  redis::Value run(std::size_t server, std::size_t node, const redis::Command& command, TrueTime now);
  std::optional<redis::Value> turn_away(std::size_t server, std::size_t node, const redis::Command& command,
                                        bool asking, TrueTime now) const;

  core::Random random_;
  std::vector<redis::Slot> slots_;
  std::vector<std::unique_ptr<Node>>& nodes_;
  std::vector<Server> servers_;
  std::vector<Place> places_;  // by node
};

}  // namespace tenure::sim
