#include "sim/network.hpp"

#include <algorithm>
#include <utility>

namespace tenure::sim {

namespace {

constexpr Duration service_usual = std::chrono::microseconds(5);

std::size_t index(Direction direction) { return static_cast<std::size_t>(direction); }

}  // namespace

Network::Network(const Plan& plan, Schedule& schedule, Node& node, core::Random random)
    : plan_(plan),
      schedule_(schedule),
      node_(node),
      random_(random),
      cuts_(plan.clients),
      trouble_(plan.clients) {}

std::shared_ptr<Connection> Network::connect(std::size_t client, std::function<void()> on_open) {
  auto connection = std::make_shared<Connection>();
  connection->client = client;
  // There and back, before the first byte of ours.
  const auto there = travel(*connection, Direction::up);
  const auto back = travel(*connection, Direction::down);
  if (there && back) schedule_.at(std::max(*there, *back), std::move(on_open));
  return connection;
}

void Network::send(const std::shared_ptr<Connection>& connection, redis::Command command, OnReply on_reply) {
  const auto arrival = travel(*connection, Direction::up);
  if (!arrival) return;
  if (!calm_ && random_.fraction() < plan_.duplicate) {
    doubled_ += 1;
    const TrueTime again = *arrival + random_.between(Duration::zero(), plan_.timing.ttl * 3 / 2);
    schedule_.at(again, [this, command] { node_.run(command, schedule_.now()); });
  }
  schedule_.at(*arrival, [this, arrived = Arrived{connection, std::move(command), std::move(on_reply)}] {
    arrived_.push_back(arrived);
    wake_node();
  });
}

void Network::send_elsewhere(std::function<void()> arrive) {
  Duration length = plan_.delay_usual;
  if (!calm_ && random_.below(4) == 0) length = random_.between(Duration::zero(), plan_.timing.ttl * 2);
  schedule_.in(length, std::move(arrive));
}

// The node takes what has arrived in its order, one command at a time.
void Network::wake_node() {
  if (node_awake_ || arrived_.empty()) return;
  node_awake_ = true;
  schedule_.at(std::max(node_free_, node_stopped_until_), [this] {
    node_awake_ = false;
    if (schedule_.now() >= node_stopped_until_) {
      const Arrived next = std::move(arrived_.front());
      arrived_.pop_front();
      run(next);
    }
    wake_node();
  });
}

void Network::run(const Arrived& arrived) {
  const TrueTime now = schedule_.now();
  const bool slow = now < node_slow_until_;
  if (slow) trouble(arrived.connection->client, now);
  node_free_ = now + (slow ? node_slow_each_ : service_usual);
  const bool refused = now < node_refuses_until_ && ScriptArgs::is_script(arrived.command);
  redis::Value reply = refused ? redis::Value::error("LOADING Redis is loading the dataset in memory")
                               : node_.run(arrived.command, now);
  const auto arrival = travel(*arrived.connection, Direction::down);
  if (!arrival) return;
  schedule_.at(*arrival, [command = arrived.command, reply = std::move(reply), on_reply = arrived.on_reply] {
    on_reply(command, reply);
  });
}

std::optional<TrueTime> Network::travel(Connection& connection, Direction direction) {
  const std::size_t way = index(direction);
  const TrueTime now = schedule_.now();
  if (connection.silent[way]) {
    trouble(connection.client, now);
    return std::nullopt;
  }
  TrueTime arrival = now + delay(connection.client);
  const Cut& cut = cuts_[connection.client][way];
  if (now < cut.until) {
    if (cut.hold) {
      arrival = std::max(arrival, cut.until + plan_.delay_usual);
    } else {
      connection.silent[way] = true;
    }
  }
  if (!calm_ && random_.fraction() < plan_.loss) connection.silent[way] = true;
  if (connection.silent[way]) {
    lost_ += 1;
    trouble(connection.client, now);
    return std::nullopt;
  }
  arrival = std::max(arrival, connection.last_arrival[way]);
  connection.last_arrival[way] = arrival;
  return arrival;
}

Duration Network::delay(std::size_t client) {
  const Duration usual = random_.between(plan_.delay_usual / 2, plan_.delay_usual * 2);
  if (calm_ || random_.fraction() >= plan_.tail) return usual;
  // Heavy: most of these are a nuisance, some take longer than a node timeout, a few than the TTL.
  const double heavy = 0.02 / (random_.fraction() + 0.015);
  late_ += 1;
  const auto length = std::chrono::duration_cast<Duration>(plan_.timing.ttl * heavy);
  trouble(client, schedule_.now() + length);
  return usual + length;
}

void Network::trouble(std::size_t client, TrueTime until) {
  trouble_[client] = std::max(trouble_[client], until);
}

void Network::cut(std::size_t client, bool up, bool down, bool hold, Duration length) {
  const TrueTime until = schedule_.now() + length;
  if (up) cuts_[client][index(Direction::up)] = {until, hold};
  if (down) cuts_[client][index(Direction::down)] = {until, hold};
  trouble(client, until);
}

void Network::stop_node(Duration length) {
  node_stopped_until_ = schedule_.now() + length;
  for (std::size_t client = 0; client < trouble_.size(); ++client) trouble(client, node_stopped_until_);
}

void Network::slow_node(Duration each, Duration length) {
  node_slow_until_ = schedule_.now() + length;
  node_slow_each_ = each;
  for (std::size_t client = 0; client < trouble_.size(); ++client) trouble(client, node_slow_until_);
}

void Network::refuse_scripts(Duration length) {
  node_refuses_until_ = schedule_.now() + length;
  for (std::size_t client = 0; client < trouble_.size(); ++client) trouble(client, node_refuses_until_);
}

void Network::calm() {
  calm_ = true;
  for (auto& cuts : cuts_) cuts = {};
  node_stopped_until_ = node_slow_until_ = node_refuses_until_ = {};
}

}  // namespace tenure::sim
