// A Redis Cluster answers for one slot at a time. So a request that concerns several becomes one for each, and their answers one
// again.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/message.hpp"
#include "redis/cluster/slot.hpp"

namespace tenure::redis {

// What of a request concerns one slot.
struct Portion {
  Slot slot = 0;
  core::Request request;
  std::vector<std::size_t>
      places{};  // which of the leases of the whole these are; none of a request about one
};

// In the order in which the whole names their first leases. Nothing of a request that no slot can answer: a fleet's.
std::vector<Portion> split(core::Request request);

// The answers to the portions of one request.
class Merged {
 public:
  explicit Merged(const core::Request& whole);

  void add(const std::vector<std::size_t>& places, core::Reply reply);
  // A lease whose slot did not answer, or does not answer us now, counts as locked, and who looks at one sees nothing known of it,
  // unless none answered.
  core::Reply reply() &&;

 private:
  bool tells_more(const core::Reply& reply) const;

  bool is_of_fleet_;
  bool looks_ = false;
  core::KeyAnswers answers_{};
  core::KeyStates states_{};
  bool answered_ = false;               // one of them what was asked
  std::optional<core::Reply> other_{};  // what another said instead
};

}  // namespace tenure::redis
