// Keeps the leases that this process holds: renews them in batches, puts them back on nodes that have lost
// them, and says in time when one is lost. It never revives a lease: what was lost stays lost (S6).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/random.hpp"
#include "core/lease/seats.hpp"
#include "core/lease/timing.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

class Keeper {
 public:
  struct NewLease {
    LeaseId id{};
    std::string key;
    std::uint64_t nonce = 0;
    Token token = 0;
    Timing timing;
    Time sent{};                           // when the request that armed it was sent
    std::vector<NodeIndex> nodes{};        // the nodes that granted it
    Time ends = Time::max();               // it is lost then, renewed or not
    std::vector<Unanswered> unanswered{};  // the same request, to nodes that have not answered it yet
  };
  // What is needed to give a lease back.
  struct Known {
    std::string key;
    Grant grant;
    Timing timing;
    Time deadline{};  // until when it was held at the latest
  };

  Keeper(const std::string& owner, std::size_t nodes, BatchMax batch_max = {})
      : of_owner_(owner, 0), nodes_(nodes), batch_max_(batch_max) {}

  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  Keeper(Keeper&&) = default;
  Keeper& operator=(Keeper&&) = default;
  ~Keeper() = default;

  // Until when it is held.
  Time keep(NewLease lease, Time now, Random& random);
  // Renews it now. Renewed, Uncertain or Lost follows in any case; false when it is held no more. By its own
  // length only: a late renewal by a shorter one would cut the longer one short on the node.
  bool extend(LeaseId id, Time now, Outbox& out);
  // Renews it no more: it is being released, or was seen as over.
  void let_go(LeaseId id);
  // The requests by which it was asked for and that were not answered: their answers are of no interest any more.
  std::vector<RequestId> take_stragglers(LeaseId id);
  // Knows it no more.
  void forget(LeaseId id);
  std::optional<Known> find(LeaseId id) const;

  void on_reply(RequestId request, const Reply& reply, Time now, Random& random, Outbox& out);
  void on_timer(Time now, Random& random, Outbox& out);
  std::optional<Time> wake() const;
  bool empty() const { return leases_.empty() && pending_.empty() && stragglers_.empty(); }
  // How many renewals, of each lease by itself, ended without a majority that had renewed it; what fails is tried again. Most
  // of them are not told: Uncertain says when that begins, and when its reason changes.
  std::uint64_t failed_renewals() const { return failed_renewals_; }

 private:
  enum class Phase : std::uint8_t { held, uncertain, lost, let_go };
  using BatchId = std::uint64_t;

  struct Kept {
    std::string key;
    std::uint64_t nonce = 0;
    Token token = 0;
    Seats seats;
    Time deadline{};
    Time ends{};
    BatchId batch = 0;
    std::shared_ptr<const Timing> timing;
    Phase phase = Phase::held;
    bool extending = false;  // somebody waits for what becomes of the round under way
    bool asked = false;      // in the round under way; one that joined meanwhile has nothing to answer for
  };
  using Leases = std::unordered_map<LeaseId, Kept>;
  // Leases of one timing that are renewed together, with one jitter.
  struct Batch {
    std::shared_ptr<const Timing> timing;
    std::vector<Leases::value_type*> leases;  // whoever is forgotten has left it
    Time sent{};                              // the last renewal
    Time due{};                               // the next one
    Time first_loss = Time::max();            // when the first of them is lost unless it is renewed
    std::size_t unanswered = 0;
    unsigned failures = 0;
    std::optional<Failure> failure{};  // of the round that is under way
    std::set<FailureCode> told{};  // why renewals failed, one after the other, since the last that did not
  };
  // One request on its way: to renew, or to put back.
  struct Pending {
    BatchId batch = 0;
    NodeIndex node = 0;
    bool reasserts = false;
    bool again =
        false;  // the node's record had changed since its connection was admitted; now it is admitted
    Time sent{};
    Time ends_at{};
    std::vector<LeaseId> leases{};
  };
  // A node that had not answered when a majority had given the lease. Nobody waits for it, so that it has no time-out of its
  // own: a renewal or a release follows over the same connection, and has one.
  struct Straggler {
    LeaseId lease{};
    NodeIndex node = 0;
    Time sent{};  // the request that armed the lease there
  };
  // A request that is being put together.
  struct Draft {
    Pending pending;
    std::vector<Holding> items{};
  };

  static Time deadline_of(const Kept& lease);
  void leave_batch(LeaseId id, BatchId batch);
  BatchId batch_for(const Timing& timing, Time sent, Random& random);
  void send(BatchId id, Batch& batch, Time now, Outbox& out);
  void send(BatchId id, Batch& batch, NodeIndex node, Time now, Outbox& out);
  // Sends a request about these leases on its way, unless there are none.
  template <class Batched>
  void send_draft(Batched request, Draft draft, Batch& batch, Outbox& out);
  void put_back(const Pending& after, Batch& batch, const std::vector<LeaseId>& leases, Time now,
                Outbox& out);
  void on_straggler(const Straggler& straggler, const Reply& reply, Time now, Outbox& out);
  void on_answers(const Pending& pending, const Reply& reply, Time now, Random& random, Outbox& out);
  void on_answer(LeaseId id, const Pending& pending, KeyAnswer answer, Time now, Outbox& out);
  void end_round(Batch& batch, Time now, Random& random, Outbox& out);
  void join_others(Batch& alone);
  void lose_overdue(Batch& batch, Time now, Outbox& out);
  void lose(LeaseId id, Kept& lease, LossReason reason, Time deadline, Outbox& out);
  void find_first_loss(Batch& batch);
  void add(Draft& draft, LeaseId id, const Kept& lease) const;
  Grant grant(const Kept& lease) const { return of_owner_.with(lease.nonce); }

  Grant of_owner_;  // not given: what the others are made from
  std::size_t nodes_;
  BatchMax batch_max_;
  Leases leases_;  // looked up only: its order decides nothing
  std::map<BatchId, Batch> batches_;
  std::map<RequestId, Pending> pending_;
  std::map<RequestId, Straggler> stragglers_;
  BatchId last_batch_ = 0;
  std::uint64_t failed_renewals_ = 0;
};

}  // namespace tenure::core
