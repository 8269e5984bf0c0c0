// One simulated process: the real core and the real conversation, interpreted over the simulated
// network. It performs effects and reports beliefs; what to wish for is the workload's.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/agent.hpp"
#include "redis/cluster/router.hpp"
#include "redis/conversation.hpp"
#include "sim/judge/judge.hpp"
#include "sim/judge/sharing.hpp"
#include "sim/judge/terms.hpp"
#include "sim/world/network.hpp"
#include "sim/world/roster.hpp"
#include "sim/world/trace.hpp"

namespace tenure::sim {

// What a client is told when it starts: which nodes there are, the first so many, and what all agree on.
struct Setup {
  std::size_t nodes = 1;
  redis::Keyspace keyspace{};
  core::Timing timing{};  // of its locks

  std::size_t quorum() const { return core::quorum_of(nodes); }
};

// What everything in a world shares.
struct Surroundings {
  const Plan& plan;
  Schedule& schedule;
  Network& network;
  Judge& judge;
  Terms& terms;
  Sharing& sharing;
  Roster& roster;
  Trace& trace;
  Cluster* cluster = nullptr;  // none: nodes are servers
  // One, unless somebody changes the set of nodes; then also those of before, which some still have.
  std::vector<Setup> setups;
  core::Token last_proposal = 0;  // of anybody, where they are wild
};

// The clocks of the machine that a process runs on.
struct Clocks {
  LocalClock boot;
  WallClock wall;
};

class Client {
 public:
  // Who uses the client hears the outcomes.
  struct Listener {
    std::function<void(const core::Acquired&)> acquired;
    std::function<void(const core::Refused&)> refused;
    std::function<void(const core::Lost&)> lost;
    std::function<void(const core::Released&)> released;
    std::function<void(core::ElectionId, const core::ElectionNotice&)> election;  // of that one
    std::function<void(const core::FleetNotice&)> fleet;
  };

  Client(Surroundings& surroundings, Setup setup, std::size_t index, Clocks clocks, std::string owner,
         core::Random random, Listener listener);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const core::Timing& timing() const { return setup_.timing; }
  const std::string& owner() const { return owner_; }

  core::AcquireId acquire(core::Wish wish);
  void cancel(core::AcquireId id);
  void extend(core::LeaseId id);
  void release(core::LeaseId id);
  void forget(core::LeaseId id);
  // As a scope does that ends: given back, with nobody who waits for the answer or is told of it.
  void let_go(core::LeaseId id);

  // Takes part in an election, or observes it, until ElectionStopped.
  core::ElectionId join(const core::ElectionPlan& plan);
  void leave(core::ElectionId id);
  void step_down(core::ElectionId id);
  // Leaves all, without waiting for work to drain.
  void leave_at_once();
  // Does something that only a leader may do, if it is one by this term.
  void work(core::LeaseId term);
  // The work of this term has ended, and its handlers run.
  void handle_loss(core::LeaseId term);
  // They have run.
  void drained(core::LeaseId term);

  // Takes part in the fleet, until FleetStopped.
  void join_fleet(std::uint32_t weight);
  void leave_fleet();
  // The same, without waiting for work to drain.
  void leave_fleet_at_once();
  // The sessions that there are.
  void share(const std::vector<std::string>& sessions);
  void take(const std::string& session);
  void give_back(const std::string& session);
  // Does something that only the owner of a session may do, if it is that by this lease.
  void work_on(core::LeaseId lease);
  // The work on it has ended.
  void session_drained(core::LeaseId lease);

  // Exactly what a user's held() says: the deadline against the clock, at this very moment.
  bool held(core::LeaseId id) const;
  // Does it hold this key by any lease?
  bool holds(const std::string& key) const;
  bool idle() const { return agent_.idle(); }
  // How long it is in true time until its clock shows that.
  Duration until(core::Time time) const { return clock_.when(time) - shared_.schedule.now(); }

  // The process stands still; what comes meanwhile is handled when it goes on.
  void pause();
  void resume(Duration slept);
  bool paused() const { return paused_; }
  // The node closed its connections.
  void on_closed(std::size_t node);

 private:
  struct Believed {
    std::string key;
    std::string value;
    core::Time deadline{};
    core::Timing timing;
    core::Time ends = core::Time::max();  // it may be held no longer
    bool lost = false;
    bool released = false;
    bool let_go = false;
    std::optional<core::ElectionId> election{};  // whose term it is
    std::optional<std::string> session{};        // that it is for
    std::optional<core::Time> told{};            // when it was told to end, as a term or a session
    std::optional<core::Time> uncertain{};       // since when its renewals fail
    bool overran = false;
    bool seen_over = false;  // held() has said no
  };
  // Its part in an election.
  struct Part {
    core::ElectionPlan plan;
    Terms::SeatId seat{};
    TrueTime since{};  // it wants its next term, or takes part
    bool left = false;
  };
  // What an acquisition has asked for by one grant, as far as an outsider can tell (S10).
  struct Asked {
    std::string key;
    std::map<core::RequestId, std::size_t> unanswered;  // or answered with "perhaps", and by which node
    std::set<std::size_t> granted;                      // the nodes that said so
    core::Token confirmed = 0;                          // what the nodes were told that its token is
    std::map<std::size_t, core::Token> heard{};  // by node: the largest token from it when it was first asked
  };
  struct Wished {
    std::string key;
    TrueTime began{};
    std::optional<Duration> hold_max{};
  };
  // A connection to a node, and what is said on it.
  struct Line {
    std::size_t node = 0;  // as the network counts them
    int patience = 0;
    std::optional<redis::Conversation> conversation{};
    std::shared_ptr<Connection> connection{};
    std::uint64_t number = 0;
  };
  // What is asked of a Cluster with the same patience, and the connections to its servers.
  struct ClusterLine {
    struct Wire {
      std::shared_ptr<Connection> connection{};
      std::uint64_t number = 0;
    };
    int patience = 0;
    redis::Router router;
    std::map<redis::Router::ServerId, Wire> wires{};
    bool asks_map = false;
    std::optional<TrueTime> timer{};
  };
  // The connection to a node by which messages come.
  struct Subscription {
    std::shared_ptr<Connection> connection;
    std::uint64_t number = 0;
  };

  core::Time now() const { return clock_.read(shared_.schedule.now()); }
  // For the core a data node has the index behind those of the nodes that this client uses; for the network behind those
  // of all nodes.
  core::NodeIndex data_index() const {
    return static_cast<core::NodeIndex>(shared_.plan.data_node() ? setup_.nodes : 0);
  }
  std::size_t server_of(core::NodeIndex node) const;
  bool is_data_node(std::size_t server) const { return shared_.plan.data_node() == server; }
  void perform();
  void perform(const core::Effects& effects);
  void ask(core::Send send);
  core::Token wild_proposal(core::Token proposal);
  void on_answer(const redis::Conversation::Answer& answer);
  void note_answer(const core::Request& request, const redis::Conversation::Answer& answer);
  void hear(Line& line, std::uint64_t connection, const redis::Command& command, const redis::Value& value);
  void hear(const redis::Conversation::Answer& answer, std::size_t place, std::size_t node,
            const redis::Command& command, const redis::Value& value);
  void say(Line& line, std::vector<redis::Command> commands);
  void flush();
  void flush_now();
  void expect_one_connection(const core::Send& send);
  Line& line_for(const core::Send& send);
  ClusterLine& cluster_line_for(const core::Send& send);
  void go_on(ClusterLine& line);
  void dial(ClusterLine& line, redis::Router::ServerId server);
  void say(ClusterLine& line, redis::Router::ServerId server);
  void ask_map(ClusterLine& line);
  void hear(ClusterLine& line, redis::Router::ServerId server, const redis::Value& value);
  void take(ClusterLine& line, redis::Router::Heard& heard);
  void tell(const redis::Router::Heard& heard);
  void hang_up(ClusterLine& line, redis::Router::ServerId server, const core::Failure& why);
  void arm_timer(ClusterLine& line);
  void on_timer(ClusterLine& line);
  // In which of what heard_ counts apart a lease is: its node, or its slot.
  std::size_t counter_of(std::size_t node, const std::string& key) const;
  redis::Conversation start_conversation(std::size_t server);
  void open_line(Line& line);
  void close_line(Line& line, const core::Failure& why);
  void listen(std::size_t node);
  void listen_to_changes();
  void attend(Subscription& subscription, std::size_t node, std::string channel,
              std::function<void()> on_subscribed, std::function<void(const std::string&)> on_message);
  void close_subscription(std::size_t node);
  void note_listening(std::size_t server, bool listening);
  void on_server_closed(std::size_t server);
  // As the core counts them.
  core::NodeIndex node_at(std::size_t server) const {
    return shared_.cluster != nullptr ? 0 : static_cast<core::NodeIndex>(server);
  }
  void close_changes();
  void on_message(std::size_t node, const std::string& message);
  void arm_timer();
  void on_timer();
  // Now, or when the process goes on.
  void when_running(std::function<void()> event);

  void believe(const core::Acquired& acquired, Believed lease, TrueTime began);
  void on_election(const core::ElectionNotice& notice);
  void on_fleet(const core::FleetNotice& notice);
  // One for each notice of the core.
  void on(const core::Acquired& acquired);
  void on(const core::Refused& refused);
  void on(const core::Waiting&) {}
  void on(const core::Released& released);
  void on(const core::Renewed& renewed);
  void on(const core::Uncertain& uncertain);
  void on(const core::Lost& lost);
  void on(const core::ClockJumped&) {}
  void on(const core::Elected& elected);
  void on(const core::TermEnding& ending);
  void on(const core::TermOverran& overran);
  void on(const core::TermOver& over);
  void on(const core::LeaderChanged& changed);
  void on(const core::CampaignHindered&) {}
  void on(const core::ElectionStopped& stopped);
  void on(const core::SessionTaken& taken);
  void on(const core::SessionRefused& refused);
  void on(const core::SessionEnding& ending);
  void on(const core::SessionEnded& ended);
  void on(const core::InstancesChanged&) {}
  void on(const core::SessionsChanged&) {}
  void on(const core::FleetJoined&) {}
  void on(const core::FleetHindered&) {}
  void on(const core::FleetNotOpen&) {}
  void on(const core::FleetOpen&) {}
  void on(const core::FleetRefused& refused);
  void on(const core::FleetStopped& stopped);
  // Is it later than that, although the process was running then?
  bool is_late(core::Time due) const;
  void expect_grace(const Believed& term);
  void cut_short(Believed& term);
  void expect_no_false_loss(const Believed& lease);
  void expect_no_loose_ends(const std::string& key) { to_be_tied_.insert(key); }
  void look_for_loose_ends();
  void end_belief(Believed& lease);
  // False: it was not asked for by hand.
  bool take_note_of_answer(const std::string& session);

  Surroundings& shared_;
  Setup setup_;
  std::size_t index_;
  LocalClock clock_;
  WallClock wall_;
  std::string owner_;
  core::Random random_;
  core::Agent agent_;
  Listener listener_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // events of a dead process do nothing

  std::deque<Line> lines_;                 // made when first needed; none ever moves or goes
  std::deque<ClusterLine> cluster_lines_;  // in their place, where the node is a Cluster
  std::vector<redis::Seen> seen_;          // by node
  std::vector<core::Token> heard_;  // by node, or slot: the largest token that it has given to this process
  std::vector<Subscription> subscriptions_;  // by node, or by server of the Cluster
  std::vector<bool> subscribed_;             // which of them are heard
  bool listening_ = false;
  Subscription changes_{};  // of what changes in the fleet

  bool leaving_ = false;  // it was told to leave the fleet
  TrueTime joined_at_{};
  std::set<std::string> known_sessions_;
  std::multiset<std::string> by_hand_;  // asked for so, and not answered

  std::map<core::LeaseId, Believed> leases_;
  std::map<core::ElectionId, Part> parts_;
  std::map<std::string, Asked> asked_;   // by stamp
  std::map<std::string, int> patience_;  // by stamp: of what was first sent for that grant (T12)
  std::map<core::AcquireId, Wished> wished_;
  std::map<core::RequestId, core::Request> requests_;  // sent and not answered, for S13
  std::set<std::string> to_be_tied_;  // keys that nothing may be left of when what was decided has been sent
  bool performing_ = false;
  std::optional<TrueTime> timer_;
  bool paused_ = false;
  TrueTime resumed_{};
  std::vector<std::function<void()>> missed_;
};

}  // namespace tenure::sim
