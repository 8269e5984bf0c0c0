#include "sim/world/network.hpp"

#include <algorithm>
#include <utility>

namespace tenure::sim {

namespace {

constexpr Duration service_usual = std::chrono::microseconds(5);

std::size_t index(Direction direction) { return static_cast<std::size_t>(direction); }

}  // namespace

Network::Network(const Plan& plan, Schedule& schedule, std::vector<std::unique_ptr<Node>>& nodes,
                 Cluster* cluster, core::Random random)
    : plan_(plan),
      schedule_(schedule),
      nodes_(nodes),
      cluster_(cluster),
      random_(random),
      servers_(plan.servers()),
      cuts_(plan.clients, std::vector<std::array<Cut, 2>>(plan.servers())),
      trouble_(plan.clients, std::vector<TrueTime>(plan.servers())) {
  for (const auto& node : nodes) {
    node->on_publish(
        [this](std::string_view channel, std::string_view message) { return publish(channel, message); });
  }
}

std::shared_ptr<Connection> Network::connect(std::size_t client, std::size_t node,
                                             std::function<void()> on_open) {
  auto connection = std::make_shared<Connection>();
  connection->client = client;
  connection->node = node;
  const Server& server = servers_[node];
  const bool misled = has_old_master(server) && random_.below(4) == 0;
  connection->life = misled ? server.old_life : server.life;
  // There and back, before the first byte of ours.
  const auto there = travel(*connection, Direction::up);
  const auto back = travel(*connection, Direction::down);
  if (there && back) schedule_.at(std::max(*there, *back), std::move(on_open));
  return connection;
}

void Network::send(const std::shared_ptr<Connection>& connection, redis::Command command, OnReply on_reply) {
  const auto arrival = travel(*connection, Direction::up);
  if (!arrival) return;
  const auto shared = std::make_shared<const redis::Command>(std::move(command));
  if (!calm_ && random_.fraction() < plan_.duplicate) {
    doubled_ += 1;
    const TrueTime again = *arrival + random_.between(Duration::zero(), plan_.timing.ttl * 3 / 2);
    schedule_.at(again, [this, connection, shared] {
      if (alive(*connection)) serve(*connection, *shared);
    });
  }
  schedule_.at(*arrival, [this, arrived = Arrived{connection, shared, std::move(on_reply)}]() mutable {
    const auto& [client, node] = std::pair(arrived.connection->client, arrived.connection->node);
    // The other side is gone, and the sender was not told: as good as lost on the way.
    if (!alive(*arrived.connection)) return trouble(client, node, schedule_.now());
    servers_[node].arrived.push_back(std::move(arrived));
    wake(node);
  });
}

void Network::subscribe(const std::shared_ptr<Connection>& connection, std::string channel,
                        std::function<void()> on_subscribed, OnMessage on_message) {
  const auto arrival = travel(*connection, Direction::up);
  if (!arrival) return;
  schedule_.at(*arrival, [this, connection, channel = std::move(channel),
                          on_subscribed = std::move(on_subscribed), on_message = std::move(on_message)] {
    if (!alive(*connection)) return;
    server(*connection).subscribers.emplace(channel, Subscriber{connection, on_message});
    const auto back = travel(*connection, Direction::down);
    if (back) schedule_.at(*back, on_subscribed);
  });
}

// The node hears of it unless the way is cut; then it goes on counting a listener that is none.
void Network::hang_up(const std::shared_ptr<Connection>& connection) {
  connection->hung_up = true;
  const auto arrival = travel(*connection, Direction::up);
  if (!arrival) return;
  schedule_.at(*arrival, [this, connection] {
    std::erase_if(server(*connection).subscribers,
                  [&](const auto& entry) { return entry.second.connection == connection; });
  });
}

// A server counts its own listeners only. One of a Cluster tells the others, too.
std::size_t Network::publish(std::string_view channel, std::string_view message) {
  const std::size_t receivers = deliver(server_, serving_, channel, message);
  for (std::size_t other = 0; cluster_ != nullptr && other < servers_.size(); ++other) {
    if (other != server_) deliver(other, servers_[other].life, channel, message);
  }
  return receivers;
}

std::size_t Network::deliver(std::size_t server, std::uint64_t life, std::string_view channel,
                             std::string_view message) {
  const auto [first, last] = servers_[server].subscribers.equal_range(std::string(channel));
  std::size_t receivers = 0;
  for (auto it = first; it != last; ++it) {
    if (it->second.connection->life != life) continue;
    receivers += 1;
    const auto arrival = travel(*it->second.connection, Direction::down);
    if (!arrival) continue;
    schedule_.at(*arrival,
                 [on_message = it->second.on_message, text = std::string(message)] { on_message(text); });
  }
  return receivers;
}

void Network::send_elsewhere(std::function<void()> arrive) {
  Duration length = plan_.delay_usual;
  if (!calm_ && random_.below(4) == 0) length = random_.between(Duration::zero(), plan_.timing.ttl * 2);
  schedule_.in(length, std::move(arrive));
}

// A node takes what has arrived in its order, one command at a time.
void Network::wake(std::size_t node) {
  Server& server = servers_[node];
  if (server.awake || server.arrived.empty()) return;
  server.awake = true;
  schedule_.at(std::max(server.free, server.stopped_until), [this, node] {
    Server& it = servers_[node];
    it.awake = false;
    if (schedule_.now() >= it.stopped_until && !it.arrived.empty()) {
      const Arrived next = std::move(it.arrived.front());
      it.arrived.pop_front();
      run(next);
    }
    wake(node);
  });
}

void Network::run(const Arrived& arrived) {
  const TrueTime now = schedule_.now();
  Server& it = server(*arrived.connection);
  const bool slow = now < it.slow_until;
  if (slow) trouble(arrived.connection->client, arrived.connection->node, now);
  it.free = now + (slow ? it.slow_each : service_usual);
  const bool refused = now < it.refuses_until && ScriptArgs::is_script(*arrived.command);
  redis::Value reply = refused ? redis::Value::error("LOADING Redis is loading the dataset in memory")
                               : serve(*arrived.connection, *arrived.command);
  const auto arrival = travel(*arrived.connection, Direction::down);
  if (!arrival) return;
  schedule_.at(*arrival, [command = arrived.command, reply = std::move(reply), on_reply = arrived.on_reply] {
    on_reply(*command, reply);
  });
}

redis::Value Network::serve(Connection& connection, const redis::Command& command) {
  server_ = connection.node;
  serving_ = connection.life;
  if (cluster_ != nullptr) {
    const bool asking = std::exchange(connection.asking, command[0] == "ASKING");
    return cluster_->serve(connection.node, command, asking, is_of_old_master(connection), schedule_.now());
  }
  Node& node = *nodes_[connection.node];
  return is_of_old_master(connection) ? node.run_at_old_master(command, schedule_.now())
                                      : node.run(command, schedule_.now());
}

bool Network::is_of_old_master(const Connection& connection) const {
  const Server& server = servers_[connection.node];
  return has_old_master(server) && connection.life == server.old_life;
}

std::optional<TrueTime> Network::travel(Connection& connection, Direction direction) {
  const std::size_t way = index(direction);
  const TrueTime now = schedule_.now();
  if (connection.silent[way]) {
    trouble(connection.client, connection.node, now);
    return std::nullopt;
  }
  TrueTime arrival = now + delay(connection.client, connection.node);
  const Cut& cut = cuts_[connection.client][connection.node][way];
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
    trouble(connection.client, connection.node, now);
    return std::nullopt;
  }
  arrival = std::max(arrival, connection.last_arrival[way]);
  connection.last_arrival[way] = arrival;
  return arrival;
}

Duration Network::delay(std::size_t client, std::size_t node) {
  const Duration usual = random_.between(plan_.delay_usual / 2, plan_.delay_usual * 2);
  if (calm_ || random_.fraction() >= plan_.tail) return usual;
  // Heavy: most of these are a nuisance, some take longer than a node timeout, a few than the TTL.
  const double heavy = 0.02 / (random_.fraction() + 0.015);
  late_ += 1;
  const auto length = std::chrono::duration_cast<Duration>(plan_.timing.ttl * heavy);
  trouble(client, node, schedule_.now() + length);
  return usual + length;
}

void Network::trouble(std::size_t client, std::size_t node, TrueTime until) {
  trouble_[client][node] = std::max(trouble_[client][node], until);
}

void Network::trouble_all(std::size_t node, TrueTime until) {
  for (std::size_t client = 0; client < trouble_.size(); ++client) trouble(client, node, until);
}

TrueTime Network::last_trouble(std::size_t client) const {
  // What is in the way to the data node keeps nobody from renewing a lease.
  const auto& all = trouble_.at(client);
  // A lease of a Cluster is on one of its servers, and only that one counts for it.
  if (cluster_ != nullptr) return *std::ranges::max_element(all);
  std::vector<TrueTime> troubles(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(plan_.nodes));
  const auto middle = troubles.begin() + static_cast<std::ptrdiff_t>(troubles.size() / 2);
  std::ranges::nth_element(troubles, middle);
  return *middle;
}

void Network::cut(std::size_t client, std::size_t node, const Interruption& interruption) {
  const TrueTime until = schedule_.now() + interruption.length;
  for (const Direction direction : {Direction::up, Direction::down}) {
    if (interruption.only.value_or(direction) != direction) continue;
    cuts_[client][node][index(direction)] = {until, interruption.hold};
  }
  trouble(client, node, until);
}

void Network::stop_node(std::size_t node, Duration length) {
  servers_[node].stopped_until = schedule_.now() + length;
  trouble_all(node, servers_[node].stopped_until);
}

void Network::slow_node(std::size_t node, Duration each, Duration length) {
  servers_[node].slow_until = schedule_.now() + length;
  servers_[node].slow_each = each;
  trouble_all(node, servers_[node].slow_until);
}

void Network::refuse_scripts(std::size_t node, Duration length) {
  servers_[node].refuses_until = schedule_.now() + length;
  trouble_all(node, servers_[node].refuses_until);
}

void Network::restart_node(std::size_t node, Duration down) {
  Server& server = servers_[node];
  server.life += 1;
  server.old_until = {};
  server.arrived.clear();
  server.subscribers.clear();
  server.stopped_until = schedule_.now() + down;
  trouble_all(node, server.stopped_until);
}

void Network::fail_over_node(std::size_t node, Duration old_master_for) {
  Server& server = servers_[node];
  server.old_life = server.life++;
  server.old_until = schedule_.now() + old_master_for;
  trouble_all(node, server.old_until);
}

void Network::calm() {
  calm_ = true;
  for (auto& of_client : cuts_) {
    for (auto& cuts : of_client) cuts = {};
  }
  for (Server& server : servers_) {
    server.stopped_until = server.slow_until = server.refuses_until = server.old_until = {};
    // A listener that is none is noticed at some time.
    std::erase_if(server.subscribers, [](const auto& entry) { return entry.second.connection->hung_up; });
  }
}

}  // namespace tenure::sim
