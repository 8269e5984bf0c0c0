// Keeps the leases that this process holds: renews them in batches, and says in time when one is lost.
// It never revives a lease: what was lost stays lost (S6).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/outbox.hpp"
#include "core/random.hpp"
#include "core/timing.hpp"

namespace tenure::core {

// A script blocks the whole server for some 2 µs a key: longer batches would be felt by everybody.
inline constexpr std::size_t batch_size_max = 500;

class Keeper {
 public:
  struct NewLease {
    LeaseId id{};
    std::string key;
    std::string value;
    Timing timing;
    Time sent{};                     // when the request that armed it was sent
    std::vector<NodeIndex> nodes{};  // the nodes that granted it
  };

  explicit Keeper(std::size_t nodes) : nodes_(nodes) {}

  void keep(NewLease lease, Time now, Random& random);
  // Renews it no more: it is being released, or its handle is gone.
  void let_go(LeaseId id);

  void on_reply(RequestId request, const Reply& reply, Time now, Random& random, Outbox& out);
  void on_timer(Time now, Random& random, Outbox& out);
  std::optional<Time> wake() const;
  bool empty() const { return leases_.empty() && flights_.empty(); }

 private:
  enum class Phase : std::uint8_t { held, uncertain, lost };
  using BatchId = std::uint64_t;

  struct Kept {
    std::string key;
    std::string value;
    std::vector<Time> armed;  // per node: the send of the last request that is known to have armed it
    Time deadline{};
    BatchId batch = 0;
    Phase phase = Phase::held;
  };
  // Leases of one timing that are renewed together, with one jitter.
  struct Batch {
    Timing timing;
    std::vector<LeaseId> leases;
    Time due{};                     // the next renewal
    Time first_loss = Time::max();  // when the first of them is lost unless it is renewed
    std::size_t flights = 0;
    unsigned failures = 0;
  };
  // One renewal request on its way.
  struct Flight {
    BatchId batch = 0;
    NodeIndex node = 0;
    Time sent{};
    Time ends_at{};
    std::vector<LeaseId> leases;
  };

  BatchId batch_for(const Timing& timing, Time sent, Random& random);
  void send(BatchId id, Batch& batch, Time now, Outbox& out);
  void land(const Flight& flight, const Reply& reply, Time now, Random& random, Outbox& out);
  void on_answer(LeaseId id, const Flight& flight, KeyAnswer answer, Time now, Outbox& out);
  void on_failure(LeaseId id, const Failure& failure, Outbox& out);
  void schedule(Batch& batch, Time sent, bool all_renewed, Time now, Random& random);
  void lose_overdue(Batch& batch, Time now, Outbox& out);
  void lose(LeaseId id, Kept& lease, LossReason reason, Time deadline, Outbox& out);
  void find_first_loss(Batch& batch);
  Time quorum_armed(const Kept& lease) const;

  std::size_t nodes_;
  std::unordered_map<LeaseId, Kept> leases_;  // looked up only: its order decides nothing
  std::map<BatchId, Batch> batches_;
  std::map<RequestId, Flight> flights_;
  BatchId last_batch_ = 0;
};

}  // namespace tenure::core
