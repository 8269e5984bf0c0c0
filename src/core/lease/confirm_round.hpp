// The second round over several nodes that minted different tokens: a majority takes the token of a grant that it gave, and raises its
// fence to it, before the lease counts. Later grants meet one of those nodes, and so have larger tokens.
#pragma once

#include <optional>
#include <vector>

#include "core/lease/acquire_round.hpp"

namespace tenure::core {

class ConfirmRound {
 public:
  // With what failed in the first round: together they may explain why there is no majority.
  ConfirmRound(Win win, std::vector<NodeFailure> failures, std::size_t nodes, const Timing& timing);

  // To the nodes that granted, and behind the acquire to those that have not answered it yet.
  void start(const std::string& key, const Grant& grant, const std::vector<NodeIndex>& silent, Time now,
             Outbox& out);
  std::optional<RoundResult> on_reply(NodeIndex node, const Reply& reply, Time now);
  std::optional<RoundResult> on_timer(Time now, Outbox& out);
  // Stops listening.
  void abandon(Outbox& out);

  Time ends_at() const { return sent_ + timing_.node_timeout; }

 private:
  std::optional<RoundResult> result(Time now) const;

  Timing timing_;
  Win win_;  // as of the first round, with the nodes that confirmed
  Ballot ballot_;
  std::vector<std::optional<RequestId>> waiting_;
  Refusal refusal_;
  Time sent_{};
};

}  // namespace tenure::core
