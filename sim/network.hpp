// The network between the clients and the node. A connection keeps the order of its bytes, as TCP does;
// what was sent on an old connection may still arrive after what is sent on the next one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "sim/node.hpp"
#include "sim/plan.hpp"
#include "sim/schedule.hpp"

namespace tenure::sim {

enum class Direction : std::uint8_t { up, down };  // to the node, to the client

// What the network knows of one connection.
struct Connection {
  std::size_t client = 0;
  std::array<TrueTime, 2> last_arrival{};  // by direction: nothing overtakes
  std::array<bool, 2> silent{};            // by direction: nothing arrives any more
};

class Network {
 public:
  // The command that a reply answers comes along, for whoever judges the matching (S13).
  using OnReply = std::function<void(const redis::Command& command, const redis::Value& reply)>;

  Network(const Plan& plan, Schedule& schedule, Node& node, core::Random random);

  std::shared_ptr<Connection> connect(std::size_t client, std::function<void()> on_open);
  void send(const std::shared_ptr<Connection>& connection, redis::Command command, OnReply on_reply);
  // Something from a client to a place outside Redis; it is late or lost like everything else.
  void send_elsewhere(std::function<void()> arrive);

  // Faults that begin and end.
  void cut(std::size_t client, bool up, bool down, bool hold, Duration length);
  void stop_node(Duration length);
  void slow_node(Duration each, Duration length);
  void refuse_scripts(Duration length);
  void on_closed(std::size_t client) { trouble(client, schedule_.now()); }
  // From now on no message is late, lost or doubled.
  void calm();

  // When this client's traffic was last hindered by anything.
  TrueTime last_trouble(std::size_t client) const { return trouble_.at(client); }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t late() const { return late_; }
  std::uint64_t doubled() const { return doubled_; }

 private:
  struct Cut {
    TrueTime until{};
    bool hold = false;  // delivered when it ends; lost otherwise
  };

  // A command that has reached the node.
  struct Arrived {
    std::shared_ptr<Connection> connection;
    redis::Command command;
    OnReply on_reply;
  };

  // When a message that leaves now arrives; nothing when it never does.
  std::optional<TrueTime> travel(Connection& connection, Direction direction);
  Duration delay(std::size_t client);
  void wake_node();
  void run(const Arrived& arrived);
  void trouble(std::size_t client, TrueTime until);

  const Plan& plan_;
  Schedule& schedule_;
  Node& node_;
  core::Random random_;
  bool calm_ = false;
  std::vector<std::array<Cut, 2>> cuts_;
  std::vector<TrueTime> trouble_;
  std::deque<Arrived> arrived_;
  bool node_awake_ = false;
  TrueTime node_free_{};  // the node runs one command at a time
  TrueTime node_stopped_until_{};
  TrueTime node_slow_until_{};
  TrueTime node_refuses_until_{};
  Duration node_slow_each_{};
  std::uint64_t lost_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t doubled_ = 0;
};

}  // namespace tenure::sim
