// One instance's part in a fleet: it beats, hears who else lives and what they own, and takes the share that placement
// gives it. Nothing is ever taken away: who should have a session asks for it, as a waiter for its lease; the
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
#include "core/fleet/claims.hpp"
#include "core/fleet/holder_scan.hpp"
#include "core/fleet/list_reader.hpp"
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
  std::size_t owned() const { return own_.count; }
  // How many sessions there are to share, and how many of them this instance should have; nothing: there is no plan yet.
  std::size_t shared() const { return shared_count_; }
  std::optional<std::size_t> quota() const {
    return quota_ == unlimited ? std::nullopt : std::optional(quota_);
  }
  // Does every session have the owner that it should have, as far as can be seen from here?
  bool settled() const;
  // Is nothing held, asked for or under way?
  bool stopped() const { return phase_ == Phase::stopped; }

 private:
  enum class Phase : std::uint8_t { resting, joining, sharing, leaving, stopped };
  // How far this instance has come with a session.
  enum class Stage : std::uint8_t { apart, wanted, asking, ours, draining, releasing };
  // How far it has come in learning anew who has what: it beats, reads lists, and looks at leases where there is no list.
  enum class Refresh : std::uint8_t { none, beating, reading, looking };

  struct Session {
    SessionHash hash = 0;
    Stage stage = Stage::apart;
    bool shared = false;
    std::uint64_t named = 0;      // in which round of share() it was last
    bool loose = false;           // it is among loose_
    bool watched = false;         // it is among watched_
    bool out_of_turn = false;     // asked for although another should have it: nobody takes it
    bool seen_free = false;       // by a look, while somebody waited for it
    MemberIndex owner = nobody;   // as last heard, of what is not ours
    MemberIndex placed = nobody;  // who should have it
    std::optional<std::uint32_t>
        position{};                    // of this instance among those who fit it, once it was asked for
    std::optional<Time> free_since{};  // nobody has had it since then
    Time rests_until = long_ago;       // given back by hand: others first
    std::optional<AcquireId> ask{};    // we stand in its queue
    bool answered = false;             // and somebody has it
    std::optional<AcquireId> hand{};   // one try, by hand
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
  void set_shared(Session& session, bool shared);

  // fleet_knowledge.cpp: who has what, as the others say.
  void refresh_by(Time when);
  void refresh_anew(Time when);
  std::optional<Time> refresh_due() const;
  void start_refresh(Time now);
  void stop_refresh(Actions& actions);
  void on_said(Time now, Actions& actions);
  bool is_overdue(Time now) const;
  bool contradicted() const;
  Duration patience_max() const;
  Duration next_patience();
  bool moves_on();
  void learn_as_planned(const std::vector<Member>& planned_for);
  void believe(Time now);
  void read_lists(Time now, Actions& actions);
  void on_read(std::vector<ListReader::Read>& read, Time now, Actions& actions);
  void survey(Time now, Actions& actions);
  void on_surveyed(const std::vector<HolderScan::Found>& found, Time now, Actions& actions);
  bool blind() const;
  std::vector<SessionHash> owned_list() const;
  void note_own(Time now);

  // fleet_sharing.cpp: who should have what, and what follows.
  void place(Time now, Actions& actions);
  void forget_unshared();
  void loosen(At it);
  void watch(At it);
  void sort_out();
  void let_go_of_lists();
  void scan_for_waiters();
  void scan_for_turns(Time now);
  void act_on_loose(Time now, Actions& actions);
  void act(At it, Time now, Actions& actions);
  void act_soon(Time now);
  std::optional<Time> act_due() const;
  Duration turn() const;
  Time turn_of(Session& session) const;
  void scan(Time now, Actions& actions);
  void on_found(const std::vector<HolderScan::Found>& found, Time now, Actions& actions);
  void note(At it, const std::optional<View>& view, Time now, Actions& actions);
  bool is_settled(const Session& session) const;
  MemberIndex seat_of(const Session& session) const;
  MemberIndex seat_of(const std::string& owner) const;

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
  void on_lost(At it, const Lost& lost, Time now, Actions& actions);
  void drain(At it, EndReason reason, Time deadline, Time now, Actions& actions);
  void end(At it, Time now, Actions& actions);

  FleetPlan plan_;
  Tenant& tenant_;
  Random random_;
  Census census_;
  HolderScan scan_;    // of what is ours, and of what nobody takes
  ListReader reader_;  // of what others own
  HolderScan survey_;  // of all that is in no list, where somebody has none
  Phase phase_ = Phase::resting;
  bool hindered_ = false;
  bool not_open_ = false;  // and has said so

  std::vector<Member> members_;  // by id
  MemberIndex self_ = nobody;
  std::optional<Placement> placement_;
  std::uint64_t version_ = 0;
  std::optional<Time> last_seen_{};

  Sessions sessions_;
  bool shared_ = false;  // share() was called
  std::size_t shared_count_ = 0;
  std::uint64_t round_ = 0;  // how often
  Tally own_{};              // of those that are shared
  std::unordered_map<AcquireId, At> asks_;
  std::unordered_map<LeaseId, At> leases_;
  std::deque<At> wanted_;
  std::size_t unanswered_ = 0;  // asks
  Duration backoff_{};          // after asks that came to nothing
  Time backed_off_until_ = long_ago;
  std::set<std::pair<Time, LeaseId>> drains_;

  Claims claims_;
  Refresh refresh_ = Refresh::none;
  std::optional<Time> refresh_at_{};
  Time refresh_began_{};
  bool anew_ = false;                      // members or sessions have changed since the last plan
  Time settles_ = long_ago;                // the members have changed: no plan before then
  std::optional<Time> unplanned_since_{};  // the members have changed since the last plan, first then
  unsigned blind_ = 0;                     // readings in a row that left somebody unknown
  Duration patience_{};                    // with what contradicts the plan
  std::uint64_t changes_seen_ = 0;         // of claims
  std::vector<At> surveyed_;               // what the present survey looks at
  std::vector<MemberIndex> survey_found_;  // who has it, as far as was seen
  bool survey_failed_ = false;

  static constexpr std::size_t unlimited = ~std::size_t{0};
  std::size_t quota_ = unlimited;  // of this instance
  std::vector<Tally> planned_;     // by member; empty while there is no plan
  std::vector<bool> as_planned_;   // by member: it has said since that it owns just that
  // Sessions that are not, or may not be, where they should be: those that concern this instance, and those that another
  // should take, of which there may be very many.
  std::vector<At> loose_;
  std::vector<At> watched_;
  std::optional<Time> act_at_{};    // when to do something about what is loose
  std::optional<Time> watch_at_{};  // when it may be our turn with something that is watched
  Duration pause_{};                // between looks for those who wait
  unsigned vain_ = 0;               // such looks in a row
  std::vector<At> scanned_;         // what the present scan looks at
  std::size_t found_ = 0;           // of them
};

}  // namespace tenure::core
