// One caller's wish for a name: rounds, pauses between them, and an end that leaves nothing behind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/acquire_round.hpp"
#include "core/random.hpp"

namespace tenure::core {

struct Wish {
  std::string key;
  Timing timing;
  // How long to wait while another holds it: zero is one try, nothing is for ever (T25).
  std::optional<Duration> wait_max = Duration::zero();
  Duration retry_delay = std::chrono::milliseconds(200);
};

// All rounds use one grant. A retry then meets its own earlier key as its own (T2, T14), and the
// release that ends a failed acquisition cleans up after every round. Once that release is sent the
// grant is never used again: it could overtake a later acquire and delete it.
class Acquisition {
 public:
  struct End {
    std::optional<Win> win{};
    Refusal refusal{};
    std::vector<NodeIndex> clean_up{};  // the nodes that may hold the grant of a failed acquisition
  };

  Acquisition(AcquireId id, Wish wish, Grant grant, std::size_t nodes);

  void start(Time now, Outbox& out);
  std::optional<End> on_reply(NodeIndex node, const Reply& reply, Time now, Random& random, Outbox& out);
  std::optional<End> on_timer(Time now, Random& random, Outbox& out);
  End cancel(RefusalCode why, Outbox& out);

  Time wake() const;
  const Wish& wish() const { return wish_; }
  const Grant& grant() const { return grant_; }
  // Until when a key of this grant can exist at the latest, by the client's clock.
  Time grant_gone_at() const { return last_sent_ + wish_.timing.ttl + wish_.timing.margin; }

 private:
  std::optional<End> on_round_end(const RoundResult& result, Time now, Random& random, Outbox& out);
  bool will_retry(const Refusal& refusal) const;
  bool only_closed(const Refusal& refusal) const;
  Duration pause_after(const Refusal& refusal, Random& random) const;
  void note_loose_ends();
  End refused(Refusal refusal) const;

  AcquireId id_;
  Wish wish_;
  Grant grant_;
  std::optional<AcquireRound> round_;
  std::vector<bool> may_hold_;
  std::optional<Time> give_up_at_;
  Time next_round_{};
  Time last_sent_{};
  Refusal last_;
  unsigned failures_ = 0;
  bool answered_ = false;  // has a quorum ever answered?
  bool reconnected_ = false;
  bool told_waiting_ = false;
};

}  // namespace tenure::core
