// The network between the clients and the nodes. A connection keeps the order of its bytes, as TCP does;
// what was sent on an old connection may still arrive after what is sent on the next one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/redis/node.hpp"
#include "sim/world/cluster.hpp"
#include "sim/world/plan.hpp"
#include "sim/world/schedule.hpp"

namespace tenure::sim {

enum class Direction : std::uint8_t { up, down };  // to the node, to the client

// Nothing gets through between one client and one node, in one direction or in both.
struct Interruption {
  Duration length{};
  std::optional<Direction> only{};  // nothing: both
  bool hold = false;                // what is sent meanwhile is delivered when it ends; lost otherwise
};

// What the network knows of one connection.
struct Connection {
  std::size_t client = 0;
  std::size_t node = 0;
  std::uint64_t life = 0;                  // of the node's process: a restart ends all of them
  std::array<TrueTime, 2> last_arrival{};  // by direction: nothing overtakes
  std::array<bool, 2> silent{};            // by direction: nothing arrives any more
  bool hung_up = false;                    // the client has, whether the node knows or not
  bool asking = false;                     // ASKING was said, for the next command
};

class Network {
 public:
  // The command that a reply answers comes along, for whoever judges the matching (S13).
  using OnReply = std::function<void(const redis::Command& command, const redis::Value& reply)>;
  using OnMessage = std::function<void(const std::string& message)>;

  // Servers are the nodes, or those of the Cluster whose slots the nodes are.
  Network(const Plan& plan, Schedule& schedule, std::vector<std::unique_ptr<Node>>& nodes, Cluster* cluster,
          core::Random random);

  std::shared_ptr<Connection> connect(std::size_t client, std::size_t node, std::function<void()> on_open);
  void send(const std::shared_ptr<Connection>& connection, redis::Command command, OnReply on_reply);
  // From now on messages on that channel come over this connection, until it is hung up.
  void subscribe(const std::shared_ptr<Connection>& connection, std::string channel,
                 std::function<void()> on_subscribed, OnMessage on_message);
  void hang_up(const std::shared_ptr<Connection>& connection);
  // Something from a client to a place outside Redis; it is late or lost like everything else.
  void send_elsewhere(std::function<void()> arrive);

  // Faults that begin and end.
  void cut(std::size_t client, std::size_t node, const Interruption& interruption);
  void stop_node(std::size_t node, Duration length);
  void slow_node(std::size_t node, Duration each, Duration length);
  void refuse_scripts(std::size_t node, Duration length);
  // The process of the node ends; another one answers after that long.
  void restart_node(std::size_t node, Duration down);
  // A replica takes over. Who is connected to the old master stays there for so long, and some still find it.
  void fail_over_node(std::size_t node, Duration old_master_for);
  // From now on a lease may be lost on that node with nothing in the way: its clock was set, and what it has expired too
  // early stays away unless a majority has it still; or the set that it belongs to, or the cap, is being changed.
  void excuse_losses(std::size_t node) { trouble_all(node, schedule_.now() + std::chrono::hours(24)); }
  // A slot of that server is moving until then.
  void on_move(std::size_t node, TrueTime until) { trouble_all(node, until); }
  // The client's connection was closed, or the node does not take its lease back: another grant is in the way.
  void on_hindrance(std::size_t client, std::size_t node) { trouble(client, node, schedule_.now()); }
  // From now on no message is late, lost or doubled.
  void calm();
  bool is_calm() const { return calm_; }

  // Since when a majority of nodes could serve this client with nothing in the way.
  TrueTime last_trouble(std::size_t client) const;
  std::uint64_t lost() const { return lost_; }
  std::uint64_t late() const { return late_; }
  std::uint64_t doubled() const { return doubled_; }

 private:
  struct Cut {
    TrueTime until{};
    bool hold = false;  // delivered when it ends; lost otherwise
  };
  // A command that has reached a node.
  struct Arrived {
    std::shared_ptr<Connection> connection;
    std::shared_ptr<const redis::Command> command;  // shared with its reply, and with a double of it
    OnReply on_reply;
  };
  struct Subscriber {
    std::shared_ptr<Connection> connection;
    OnMessage on_message;
  };
  struct Server {
    std::deque<Arrived> arrived;
    std::multimap<std::string, Subscriber> subscribers;  // by channel
    bool awake = false;
    std::uint64_t life = 0;
    std::uint64_t old_life = 0;  // of the master that was deposed
    TrueTime old_until{};
    TrueTime free{};  // it runs one command at a time
    TrueTime stopped_until{};
    TrueTime slow_until{};
    TrueTime refuses_until{};
    Duration slow_each{};
  };

  // When a message that leaves now arrives; nothing when it never does.
  std::optional<TrueTime> travel(Connection& connection, Direction direction);
  Duration delay(std::size_t client, std::size_t node);
  void wake(std::size_t node);
  void run(const Arrived& arrived);
  redis::Value serve(Connection& connection, const redis::Command& command);
  std::size_t publish(std::string_view channel, std::string_view message);
  std::size_t deliver(std::size_t server, std::uint64_t life, std::string_view channel,
                      std::string_view message);
  bool has_old_master(const Server& server) const { return schedule_.now() < server.old_until; }
  bool is_of_old_master(const Connection& connection) const;
  void trouble(std::size_t client, std::size_t node, TrueTime until);
  void trouble_all(std::size_t node, TrueTime until);
  Server& server(const Connection& connection) { return servers_[connection.node]; }
  bool alive(const Connection& connection) const {
    return servers_[connection.node].life == connection.life || is_of_old_master(connection);
  }

  const Plan& plan_;
  Schedule& schedule_;
  std::vector<std::unique_ptr<Node>>& nodes_;
  Cluster* cluster_;
  core::Random random_;
  bool calm_ = false;
  std::vector<Server> servers_;
  std::vector<std::vector<std::array<Cut, 2>>> cuts_;  // by client and node
  std::vector<std::vector<TrueTime>> trouble_;         // by client and node
  std::size_t server_ = 0;                             // that runs a command
  std::uint64_t serving_ = 0;                          // its life
  std::uint64_t lost_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t doubled_ = 0;
};

}  // namespace tenure::sim
