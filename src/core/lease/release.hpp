// Gives one grant back on the nodes that may hold it. Harmless to repeat: only that grant is deleted
// (T3, T45), and a release that came to nothing may be tried again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "core/lease/timing.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

class Release {
 public:
  struct End {
    ReleaseOutcome outcome = ReleaseOutcome::failed;
    std::vector<NodeFailure> failures{};
    bool goes_on = false;  // on nodes that are silent, with nobody who waits for them
  };

  // With try_until, nodes that fail are tried again until then: the clean-up that nobody waits for.
  // Without it, one attempt says how it went: a moment after a majority has said so, since what the rest holds is no
  // lease. That rest is cleaned up as if there were a try_until.
  Release(ReleaseRequest request, const std::vector<NodeIndex>& nodes, const Timing& timing,
          std::optional<Time> try_until);

  void start(Time now, Outbox& out);
  std::optional<End> on_reply(NodeIndex node, const Reply& reply, Time now, Random& random, Outbox& out);
  std::optional<End> on_timer(Time now, Random& random, Outbox& out);
  Time wake() const;

 private:
  struct Target {
    NodeIndex node = 0;
    RequestId id{};
    bool waiting = false;
    bool done = false;
    bool reconnected = false;
  };

  void on_answer(Target& target, const Reply& reply);
  std::optional<End> end_of_attempt(Time now, Random& random);
  bool any(KeyAnswer answer) const;

  ReleaseRequest request_;
  Timing timing_;
  std::vector<Target> targets_;
  std::optional<Time> try_until_;
  std::vector<KeyAnswer> answers_;
  std::vector<NodeFailure> failures_;
  bool sending_ = false;
  Time sent_{};
  Time next_try_{};
  std::optional<Time>
      enough_at_{};  // when a majority has answered, and whoever waits has waited enough for the rest
};

}  // namespace tenure::core
