// Proposes the token of the next grant to several nodes. If a majority of them can mint it, it stands on a majority at
// once, and no second round is needed. A bad proposal costs that round, and never safety: each node decides by itself.
#pragma once

#include <optional>

#include "core/lease/clock_watch.hpp"
#include "core/lease/grant.hpp"

namespace tenure::core {

class Proposer {
 public:
  explicit Proposer(const ClockWatch& clocks) : clocks_(clocks) {}

  // A token larger than every one before it, for the request that is sent now: as far as this client knows, larger than all
  // that the nodes have minted, and not ahead of their clocks. 0: none, because there is one node, which needs none, or
  // because too few clocks are known.
  Token propose(Time now);
  // A node has minted this token, for us or for somebody else.
  void on_token(Token token, Time now);

 private:
  std::optional<Token> time_of_nodes(Time now) const;

  const ClockWatch& clocks_;
  Token last_ = 0;   // that was proposed
  Token known_ = 0;  // to have been minted
};

}  // namespace tenure::core
