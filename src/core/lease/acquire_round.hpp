// One attempt to acquire one name over all nodes: what do the answers so far amount to?
// It does not retry and does not clean up; the acquisition that runs it does both.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/lease/ballot.hpp"
#include "core/lease/timing.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

// A majority gave the grant. Where all of them minted the same token it stands on that majority, and this is the lease;
// otherwise the largest is confirmed first.
struct Win {
  Token token = 0;                 // the largest that a node gave
  std::vector<NodeIndex> nodes{};  // those that granted
  Time sent{};
  bool agreed = false;  // they all gave this token
};

using RoundResult = std::variant<Win, Refusal>;

class AcquireRound {
 public:
  AcquireRound(std::size_t nodes, const Timing& timing);

  // A ticket goes to the nodes on whose messages the caller listens.
  void start(AcquireRequest request, const std::vector<bool>& listening, Time now, Outbox& out);
  // The result, once there is one.
  std::optional<RoundResult> on_reply(NodeIndex node, const Reply& reply, Time now);
  // The same after now >= ends_at(): nodes that are still silent have failed.
  std::optional<RoundResult> on_timer(Time now, Outbox& out);

  // Stops listening; gives the nodes that have said nothing so far.
  std::vector<NodeIndex> abandon(Outbox& out);
  // The requests that nobody has answered so far. From now on somebody else waits for the answers.
  std::vector<Unanswered> take_unanswered();

  Time ends_at() const { return sent_ + timing_.node_timeout; }
  // Has this node the grant, or may it have it? Its silence may hide one (T11, S10).
  bool may_hold(NodeIndex node) const { return answers_.at(node).may_hold; }
  std::size_t granted() const { return win_.nodes.size(); }
  const std::vector<Held>& held() const { return held_; }
  const std::vector<NodeFailure>& failures() const { return refusal_.failures; }

 private:
  struct Answer {
    RequestId id{};
    bool waiting = false;
    bool may_hold = false;
  };

  std::optional<RoundResult> result(Time now) const;
  void on_failure(NodeIndex node, const Failure& failure);

  Timing timing_;
  Ballot ballot_;
  std::vector<Answer> answers_;
  std::vector<Held> held_;  // what nodes said that another has it on
  Win win_;
  Refusal refusal_;
  Time sent_{};
};

}  // namespace tenure::core
