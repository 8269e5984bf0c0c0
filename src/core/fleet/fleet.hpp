// One instance's part in a fleet: it beats, sees who else lives, looks who owns which session, and takes the share that
// placement gives it. Nothing is ever taken away: who should have a session asks for it, as a waiter for its lease; the
// owner, seeing that it has more than its share and that somebody waits, lets the work end and gives the session back.
// What an instance believes about others only decides what it asks for. Who owns what is decided by the leases.
//
// Like Elections: all actions of the tenant, and of the calls below, go through route().
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/fleet/census.hpp"
#include "core/fleet/holder_scan.hpp"
#include "core/fleet/placement.hpp"
#include "core/lease/tenant.hpp"

namespace tenure::core {

struct FleetPlan {
  std::string prefix{};  // what its keys begin with
  Timing timing{};       // of the leases, and of the beats
  std::uint32_t weight = 1;
  NodeIndex data = 0;  // where the beats are
  std::string boot{};  // one that no other process has
  std::int64_t started_ms = 0;
};

class Fleet {
 public:
  Fleet(FleetPlan plan, Tenant& tenant, Random random);

  // FleetJoined follows, or FleetRefused.
  void start(Time now);
  // Leaves, and gives back every session when its work has ended. FleetStopped follows.
  void stop(Time now, Actions& actions);
  // The same without waiting for the work.
  void close(Time now, Actions& actions);

  // The sessions that there are.
  void share(const std::vector<std::string>& sessions, Time now, Actions& actions);
  // Takes one by hand if nobody has it: SessionTaken or SessionRefused follows.
  void take(const std::string& session, Time now, Actions& actions);
  // Gives one back by hand. False: it is not ours.
  bool give_back(const std::string& session, Time now, Actions& actions);
  // The work on a session that is ending has ended.
  void drained(LeaseId lease, Time now, Actions& actions);

  // What was said on the channel of changes. A hint.
  void on_change(FleetChange change, Time now, Actions& actions);
  void route(Actions& actions, Time now);
  void on_timer(Time now, Actions& actions);
  std::optional<Time> wake() const;

  // All that live, this one included, by id; as the last beat told.
  const std::vector<Member>& members() const { return members_; }
  // Who should have it, as seen from here. Nothing: it is not shared, or nobody knows yet.
  std::optional<std::string> preferred(const std::string& session) const;
  std::size_t owned() const { return owned_; }
  // Does every session have the owner that it should have, as far as can be seen from here?
  bool settled() const { return placement_ && unsettled_ == 0; }
  // Is nothing held, asked for or under way?
  bool stopped() const { return phase_ == Phase::stopped; }

 private:
  enum class Phase : std::uint8_t { resting, joining, sharing, leaving, stopped };
  // How far this instance has come with a session.
  enum class Stage : std::uint8_t { apart, wanted, asking, ours, draining, releasing };
  // Which of all owners that were ever seen.
  using OwnerIndex = std::uint32_t;
  static constexpr OwnerIndex unknown = ~OwnerIndex{0};  // nobody has looked yet
  static constexpr OwnerIndex none = unknown - 1;        // free, or about to change hands

  struct Session {
    SessionHash hash = 0;
    Stage stage = Stage::apart;
    bool shared = false;
    OwnerIndex owner = unknown;        // as last seen
    std::optional<Time> free_since{};  // nobody has had it since then
    Time rests_until = long_ago;       // given back by hand: others first
    MemberIndex placed = nobody;
    std::optional<AcquireId> ask{};   // we stand in its queue
    bool answered = false;            // and somebody has it
    std::optional<AcquireId> hand{};  // one try, by hand
    LeaseId lease{};
    Time deadline{};  // while it drains
    EndReason reason = EndReason::stopped;
  };
  using Sessions = std::map<std::string, Session>;
  using At = Sessions::iterator;

  std::string key_of(const std::string& session) const { return plan_.prefix + "lease:" + session; }
  bool route(Action& action, Time now, Actions& more);
  void give_all_back(EndReason reason, Time now, Actions& actions);
  void end_if_done(Actions& actions);
  void on_news(const Census::News& news, Time now, Actions& actions);
  void on_members(const LiveMembers& live, Time now, Actions& actions);
  void note_members(const std::vector<Member>& members, Time now, Actions& actions);
  bool counts_differ() const;

  // fleet_sharing.cpp: who has what, who should have it, and what follows.
  void look_by(Time when, bool at_all);
  std::optional<Time> scan_due() const;
  void scan(Time now, Actions& actions);
  bool to_be_scanned(const Session& session) const;
  void on_found(const std::vector<HolderScan::Found>& found, Time now, Actions& actions);
  void note(At it, const View& view, Time now, Actions& actions);
  void place(Time now, Actions& actions);
  void plan_next_look(Time now);
  bool is_puzzling() const;
  void act(At it, Time now, Actions& actions);
  std::optional<Time> turn_of(const Session& session) const;
  void act_soon(Time now);
  bool is_settled(const Session& session) const;
  MemberIndex seat_of(const Session& session) const;
  OwnerIndex owner_index(const std::string& owner);

  // fleet_sessions.cpp: the life of one session here.
  void want(At it);
  void ask_wanted(Time now, Actions& actions);
  void withdraw(Session& session, Time now, Actions& actions);
  void note_answer(Session& session);
  void on_acquired(At it, const Acquired& acquired, Time now, Actions& actions);
  void on_refused(At it, const Refused& refused, Time now, Actions& actions);
  void back_off(Time now);
  void note_not_open(const Refusal& refusal, Actions& actions);
  void note_open(Actions& actions);
  void on_lost(At it, const Lost& lost, Actions& actions);
  void drain(At it, EndReason reason, Time deadline, Actions& actions);
  void end(At it, Time now, Actions& actions);

  FleetPlan plan_;
  Tenant& tenant_;
  Random random_;
  Census census_;
  HolderScan scan_;
  Phase phase_ = Phase::resting;
  bool hindered_ = false;
  bool not_open_ = false;  // and has said so

  std::vector<Member> members_;
  MemberIndex self_ = nobody;
  std::optional<Placement> placement_;
  static constexpr std::size_t unlimited = ~std::size_t{0};
  std::size_t quota_ = unlimited;  // of this instance, since the members last changed
  std::uint64_t version_ = 0;
  std::optional<Time> last_seen_{};
  bool counts_differed_ = false;

  Sessions sessions_;
  bool shared_ = false;        // share() was called
  std::size_t owned_ = 0;      // of those that are shared
  std::size_t unsettled_ = 0;  // after the last placement
  std::unordered_map<AcquireId, At> asks_;
  std::unordered_map<LeaseId, At> leases_;
  std::deque<At> wanted_;
  std::size_t unanswered_ = 0;  // asks
  Duration backoff_{};          // after asks that came to nothing
  Time backed_off_until_ = long_ago;
  std::set<std::pair<Time, LeaseId>> drains_;

  std::vector<std::string> owners_;
  std::unordered_map<std::string, OwnerIndex> owner_indices_;
  std::vector<MemberIndex> seats_;  // by owner

  Time settles_ = long_ago;          // the members have changed: not before then
  std::optional<Time> others_at_{};  // when to look at what others have, or should have
  bool whole_ = true;                // then at all of it
  unsigned puzzled_ = 0;             // how many looks in a row have not explained what they showed
  std::optional<Time> act_at_{};     // when to look at what is ours, and to act again on what is known
  bool look_at_others_ = false;      // the present scan does
  Time scan_began_{};
  Duration pause_{};
  std::vector<At> scanned_;  // what the present scan looks at
  std::size_t found_ = 0;    // of them
};

}  // namespace tenure::core
