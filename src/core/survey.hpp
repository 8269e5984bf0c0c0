// One look at many names: who holds each, as a majority of the nodes shows it. Some calls at a time, so that a large
// fleet's look is a burden to nobody.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/outbox.hpp"
#include "core/view.hpp"

namespace tenure::core {

class Survey {
 public:
  // What was found of the name with that number. Nothing was, where too few nodes answered.
  struct Found {
    std::size_t name = 0;
    std::optional<View> view{};
  };

  Survey(std::size_t nodes, Duration node_timeout) : nodes_(nodes), node_timeout_(node_timeout) {}

  // Only when the one before has ended.
  void start(std::vector<std::string> keys, Time now, Outbox& out);
  // What is told belongs to no survey any more.
  void stop(Outbox& out);

  // Both append what was found.
  void on_reply(RequestId request, const Reply& reply, Time now, Outbox& out, std::vector<Found>& found);
  void on_timer(Time now, Outbox& out, std::vector<Found>& found);
  std::optional<Time> wake() const;
  bool under_way() const { return !looks_.empty(); }

 private:
  using LookId = std::size_t;  // the number of its first name
  // One question about some names to every node.
  struct Look {
    std::size_t size = 0;
    std::map<RequestId, NodeIndex> unanswered{};
    std::vector<std::optional<Sights>> answers{};  // by node
    Time gives_up{};
  };

  void look(Time now, Outbox& out);
  bool decided(const Look& look) const;
  void end(LookId id, Time now, Outbox& out, std::vector<Found>& found);

  std::size_t nodes_;
  Duration node_timeout_;
  std::vector<std::string> keys_;
  std::size_t asked_ = 0;  // names, in their order
  std::map<LookId, Look> looks_;
  std::map<RequestId, LookId> sent_;
};

}  // namespace tenure::core
