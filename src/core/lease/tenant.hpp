// The leases of one client: it acquires, keeps and releases them, and looks who holds a name. The agent drives it, and says
// what becomes of the actions that it returns.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "core/lease/acquisition.hpp"
#include "core/lease/holder_watch.hpp"
#include "core/lease/keeper.hpp"
#include "core/lease/quarantine.hpp"
#include "core/lease/release.hpp"

namespace tenure::core {

class Tenant {
 public:
  struct Config {
    std::string owner;  // the instance id, never that of another process
    std::size_t nodes = 1;
    Terms terms{std::chrono::duration_cast<Ttl>(ttl_max_default)};  // the same for everybody
    BatchMax batch_max{};
    PartOf part_of = nullptr;  // none: nodes have one part
  };

  Tenant(Config config, Random random);
  Tenant(const Tenant&) = delete;  // acquisitions look at its subscriptions and clocks
  Tenant& operator=(const Tenant&) = delete;

  AcquireId acquire(Wish wish, Time now, Actions& actions);
  // Ends an acquisition: Refused follows among the actions, and what it may hold is cleaned up (T13).
  void cancel(AcquireId id, Time now, Actions& actions);

  // Renews a lease now. Renewed, Uncertain or Lost follows, unless it is released first; false when it is held
  // no more.
  bool extend(LeaseId id, Time now, Actions& actions);

  // Gives a lease back; held or lost, it is renewed no more. Released follows later. After
  // ReleaseOutcome::failed the lease may be released again (T15).
  void release(LeaseId id, Time now, Actions& actions);
  // Renews it no more, because its holder has seen that it is not held; it may still be released.
  void give_up(LeaseId id) { let_go(id); }
  // Its handle is gone. What was not released is cleaned up, as far as nodes can be reached.
  void forget(LeaseId id, Time now, Actions& actions);

  // Looks who holds this name, now and then: Seen follows.
  WatchId watch(std::string key, Duration every, Duration node_timeout, Time now);
  void unwatch(WatchId id) { holder_watch_.unwatch(id); }

  // Requests of the fleet that is driven beside it; Heard tells the replies.
  Outbox ask_for_fleet(Actions& actions) { return outbox(Sender::Kind::fleet, 0, actions); }

  void on_reply(RequestId request, const Reply& reply, Time now, Actions& actions);
  // These only move timers; wake() says when to act.
  // A connection to that node was admitted with this record.
  void on_admitted(Place place, const Record& record, Time now);
  // Messages of that node are heard from now on, or no more.
  void on_listening(NodeIndex node, bool listening, Time now);
  // A message for a waiter: look again after that long.
  void on_wake_up(NodeIndex node, const Grant& ticket, Duration after, Time now);
  void on_timer(Time now, Actions& actions);
  // When on_timer is due, if at all.
  std::optional<Time> wake() const;

  // The name of a lease that is known, for people.
  std::string key_of(LeaseId id) const;
  // Until when a lease that is known is held, or was at the latest.
  std::optional<Time> deadline_of(LeaseId id) const;
  // When all of these nodes are out of quarantine, with all their parts, if they are in one: this client opens them then, if
  // nobody does before.
  std::optional<Time> open_by(const std::vector<NodeIndex>& nodes) const;
  // To look at.
  // Is this node, or a part of it, in quarantine?
  bool quarantined(NodeIndex node) const;
  const ClockWatch& clocks() const { return clocks_; }
  std::uint64_t failed_renewals() const { return keeper_.failed_renewals(); }
  const std::string& owner() const { return config_.owner; }
  std::size_t nodes() const { return config_.nodes; }
  BatchMax batch_max() const { return config_.batch_max; }
  // Is this the grant that this acquisition asks for?
  bool asks_for(AcquireId id, const Grant& grant) const;

  // Is there nothing under way and nothing held? (L9)
  bool idle() const;

 private:
  struct Returning {
    Release release;
    std::optional<LeaseId> lease;  // none for a clean-up that nobody waits for
  };
  using ReleaseId = std::uint64_t;

  Outbox outbox(Sender::Kind kind, std::uint64_t id, Actions& actions) {
    return {Sender{kind, id}, requests_, actions};
  }
  void wake_at(Sender sender, std::optional<Time> before, std::optional<Time> after);
  void end(AcquireId id, const Acquisition::End& end, Time now, Actions& actions);
  void start_release(ReleaseRequest request, const std::vector<NodeIndex>& nodes, const Timing& timing,
                     std::optional<Time> try_until, std::optional<LeaseId> lease, Time now, Actions& actions);
  void hear(RequestId request, const Requests::Entry& entry, const Reply& reply, Time now, Actions& actions);
  void look_at_clocks(std::size_t first, Time now, Actions& actions);
  void let_go(LeaseId id);
  void note_token(const Reply& reply, Time now);
  void clean_up(Acquisition& it, Time now, Actions& actions);
  void end(ReleaseId id, Release::End end, Time now, Actions& actions);
  Part part_of(const std::string& key) const { return config_.part_of ? config_.part_of(key) : Part{0}; }
  std::set<Part> parts_of(const RenewRequest& renew) const;
  bool forgotten_by_nodes(const Keeper::Known& lease, Time now) const;
  template <class Step>
  void step_acquisition(AcquireId id, Time now, Actions& actions, Step&& step);
  template <class Poke>
  void poke(AcquireId id, Acquisition& it, Poke&& how);
  void poke_those_in(Part part, Time now);
  template <class Poke>
  void poke_acquisitions(const Poke& how);
  template <class Step>
  void step_release(ReleaseId id, Time now, Actions& actions, Step&& step);

  Config config_;
  Random random_;
  Requests requests_;
  Subscriptions subscriptions_;
  ClockWatch clocks_;
  Proposer proposer_{clocks_};
  bool reached_ = false;  // by an acquisition
  Keeper keeper_;
  HolderWatch holder_watch_;
  Founding founding_;
  std::vector<NodeIndex> all_nodes_;
  std::map<Place, Quarantine> quarantines_;  // of parts that are in one; they look at the founding
  std::map<AcquireId, Acquisition> acquisitions_;
  std::map<ReleaseId, Returning> releases_;
  std::unordered_map<Grant, AcquireId, GrantHash> tickets_;  // who waits, by its ticket
  std::set<LeaseId> releasing_;
  std::set<std::pair<Time, Sender>> wakes_;  // when which acquisition or release is due
  std::uint64_t last_id_ = 0;
};

}  // namespace tenure::core
