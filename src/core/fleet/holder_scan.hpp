// One look at many names: who holds each, as a majority of the nodes shows it. Some calls at a time, so that a large
// fleet's look is a burden to nobody.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/lease/majority_reads.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

class HolderScan {
 public:
  // What was found of the name with that number. Nothing was, where too few nodes could say.
  struct Found {
    std::size_t name = 0;
    std::optional<View> view{};
  };

  HolderScan(std::size_t nodes, Duration node_timeout, BatchMax batch_max = {})
      : node_timeout_(node_timeout), batch_max_(batch_max), reads_(nodes) {}

  // Only when the one before has ended.
  void start(std::vector<std::string> keys, Time now, Outbox& out);
  // What is told belongs to no scan any more.
  void stop(Outbox& out);

  // Both append what was found.
  void on_reply(RequestId request, const Reply& reply, Time now, Outbox& out, std::vector<Found>& found);
  void on_timer(Time now, Outbox& out, std::vector<Found>& found);
  std::optional<Time> wake() const;
  bool under_way() const { return !names_.empty(); }

 private:
  // The names that a read asks for, by their numbers.
  struct Names {
    std::size_t first = 0;
    std::size_t size = 0;
  };

  void read(Time now, Outbox& out);
  bool decided(MajorityReads::Id id) const;
  void end(MajorityReads::Id id, Time now, Outbox& out, std::vector<Found>& found);

  Duration node_timeout_;
  BatchMax batch_max_;
  std::vector<std::string> keys_;
  std::size_t asked_ = 0;  // names, in their order
  MajorityReads reads_;
  std::map<MajorityReads::Id, Names> names_;
};

}  // namespace tenure::core
