// Does the set of nodes that we name exist? Any client that comes to a node without a record writes one of its own set
// there. So records that say "unknown" prove nothing: whoever names three nodes, of which one belongs to others and two
// are new, would soon have a majority of its own.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/lease/record.hpp"
#include "core/nodes.hpp"

namespace tenure::core {

class Founding {
 public:
  Founding(Terms terms, std::size_t nodes) : terms_(std::move(terms)), whose_(nodes) {}

  void on_admitted(NodeIndex node, const Record& record);

  // Somebody has made it or used it; or all its nodes are new, or have lost everything. And none belongs to others, as far
  // as we have met it.
  bool done() const;

 private:
  enum class Whose : std::uint8_t { unmet, ours, others };

  Terms terms_;
  std::vector<Whose> whose_;  // by node
  bool founded_ = false;
};

}  // namespace tenure::core
