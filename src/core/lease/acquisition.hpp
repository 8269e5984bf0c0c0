// One caller's wish for a name: rounds, pauses between them, and an end that leaves nothing behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/random.hpp"
#include "core/lease/clock_watch.hpp"
#include "core/lease/confirm_round.hpp"
#include "core/lease/proposer.hpp"
#include "core/lease/record.hpp"
#include "core/lease/subscriptions.hpp"
#include "core/lease/told_reasons.hpp"

namespace tenure::core {

struct Wish {
  std::string key;
  Timing timing;
  // How long to wait for whatever is in the way: zero is one try, nothing is for ever (T25). Only who waits for a
  // while also waits for nodes that have never answered its client; nobody waits for those that keep us out.
  std::optional<Duration> wait_max = Duration::zero();
  Duration retry_delay = std::chrono::milliseconds(200);
  // How many tries after the first. Whoever counts tries stands in no queue, and comes again after a delay.
  std::optional<unsigned> retries{};
  std::optional<Duration> hold_max{};  // the lease is lost when it was held so long, renewed or not
  // Its caller asks again by itself, and wants to hear at once where no node answers, also of a store that is known.
  bool asks_again = false;
};

// A retry keeps its grant, so that it meets its own earlier key as its own (T2, T14). Where a rival was met, the
// nodes that may hold the grant are released and the next round has a new one: two that keep what they have
// would block each other until it expires (L6). A grant whose release was sent is never used again: the
// release could overtake a later acquire and delete it.
class Acquisition {
 public:
  struct Context {
    AcquireId id{};
    const std::string& owner;
    const Subscriptions& subscriptions;
    const ClockWatch& clocks;
    Proposer& proposer;
    const Terms& terms;
    bool& reached;  // has a quorum ever answered any of the client's acquisitions?
    Part part = 0;  // that the name is in
  };
  struct End {
    std::optional<Win> win{};
    Refusal refusal{};
    std::vector<Unanswered> unanswered{};  // what a win did not wait for, and whoever keeps the lease hears
  };
  // A grant or a ticket that is not used any more, and the nodes that may hold it.
  struct Discarded {
    Grant grant;
    std::optional<Grant> ticket{};
    std::vector<NodeIndex> nodes{};
    bool wake = true;
    Time gone_at{};  // until when a key of it can exist at the latest, by the client's clock
  };

  Acquisition(Context context, Wish wish, Random& random);

  void start(Time now, Outbox& out);
  std::optional<End> on_reply(NodeIndex node, const Reply& reply, Time now, Random& random, Outbox& out);
  std::optional<End> on_timer(Time now, Random& random, Outbox& out);
  End cancel(RefusalCode why, Outbox& out);

  // A message said that the name may be free after that long. A hint: it is honoured now and then (T27).
  void on_wake_up(NodeIndex node, Duration after, Time now);
  // A subscription has opened: stand in the queue, and catch up on what was missed. Or one has closed.
  void on_listening(bool listening, Time now);
  // A quarantine has ended.
  void on_opened(Time now);

  Time wake() const;
  const Wish& wish() const { return wish_; }
  Part part() const { return context_.part; }
  const Grant& grant() const { return grant_; }
  const std::optional<Grant>& ticket() const { return ticket_; }
  std::optional<Discarded> take_discarded() { return std::exchange(discarded_, std::nullopt); }

 private:
  // Between two rounds: the next one begins then at the latest; a turn that was announced may come before.
  struct Pause {
    Time until;
  };
  // Whom a round has met: others, and whether some nodes gave to us and some to them.
  enum class Met : std::uint8_t { alone, others, split };
  // Where it stands in the queues of waiters. Present: the last round stood there, and will hear when it is called.
  enum class Queued : std::uint8_t { none, past, present };

  std::optional<End> on_round_end(const RoundResult& result, Time now, Random& random, Outbox& out);
  std::optional<End> on_refusal(Refusal refusal, Met met, Time now, Random& random, Outbox& out);
  void wait_for(const Refusal& refusal, Met met, Time now, Random& random, Outbox& out);
  bool will_retry(const Refusal& refusal) const;
  bool only_closed(const Refusal& refusal) const;
  Duration pause_after(const Refusal& refusal, Random& random) const;
  std::optional<Duration> until_free(Random& random) const;
  std::size_t nodes() const { return context_.subscriptions.nodes().size(); }
  bool pauses() const { return std::holds_alternative<Pause>(phase_); }
  void pause_until(Time when) { phase_ = Pause{when}; }
  void look_by(Time when) { pause_until(std::min(std::get<Pause>(phase_).until, when)); }
  Time not_too_soon(Time look, Time last) const;
  std::optional<Time> look_after_calls(Time now) const;
  Time announced_turn() const;
  Time next_look() const { return std::min(std::get<Pause>(phase_).until, announced_turn()); }
  void note_loose_ends(const AcquireRound& round);
  void discard(bool wake);
  End won(const Win& win);
  End refused(Refusal refusal);

  Context context_;
  Wish wish_;
  Grant grant_;
  std::optional<Grant> ticket_{};  // once it waits
  std::variant<Pause, AcquireRound, ConfirmRound> phase_;
  NodeSet may_hold_;            // the present grant
  NodeSet ticketed_;            // the nodes that the present round showed its ticket to
  bool majority_gave_ = false;  // the present grant, or perhaps
  std::optional<Discarded> discarded_;
  std::optional<Time> give_up_at_;
  Time last_sent_{};
  Time last_called_ = long_ago;  // when a round last began because of calls
  Time last_told_ = long_ago;    // or because a message said when to look
  NodeSet woken_by_;             // the nodes that have called since the last round began
  // When our turn comes, as each node has announced; never: it has not. None: no node has.
  std::vector<Time> turns_;
  bool newly_subscribed_ = false;  // one of them, since the last round began
  std::vector<Held> held_;         // what nodes said in the last round
  Refusal last_;
  unsigned failures_ = 0;
  Queued queued_ = Queued::none;
  bool answered_ = false;  // has a quorum ever answered this one?
  bool reconnected_ = false;
  unsigned retried_ = 0;
  ToldReasons told_waiting_;
};

}  // namespace tenure::core
