#include "sim/world/cluster.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "redis/cluster/slot.hpp"

namespace tenure::sim {

namespace {

std::vector<std::string> keys_of(const redis::Command& command) {
  const ScriptArgs args(command);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < args.keys; ++i) keys.push_back(args.key(command, i));
  return keys;
}

redis::Value time_of(const WallClock& clock, TrueTime now) {
  const std::int64_t us = clock.read(now).us;
  return redis::Value::array({redis::Value::string(std::to_string(us / 1'000'000)),
                              redis::Value::string(std::to_string(us % 1'000'000))});
}

}  // namespace

Cluster::Cluster(std::vector<WallClock> clocks, std::vector<redis::Slot> slots,
                 std::vector<std::unique_ptr<Node>>& nodes, core::Random random)
    : random_(random), slots_(std::move(slots)), nodes_(nodes), places_(slots_.size()) {
  for (const WallClock& clock : clocks) {
    servers_.push_back({{}, clock});
    new_life(servers_.size() - 1, clock);
  }
  for (std::size_t node = 0; node < places_.size(); ++node) {
    places_[node].owner = random_.below(servers_.size());
    const Server& server = servers_[places_[node].owner];
    nodes_[node]->serve_as(server.life, server.clock);
  }
}

void Cluster::new_life(std::size_t server, const WallClock& clock) {
  servers_[server].life = {random_.hex16(), random_.hex16()};
  servers_[server].clock = clock;
}

std::optional<std::size_t> Cluster::find_node(const std::string& key) const {
  const auto found = std::ranges::find(slots_, redis::slot_of(key));
  if (found == slots_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - slots_.begin());
}

std::size_t Cluster::node_of(const std::string& key) const {
  const auto node = find_node(key);
  core::must(node.has_value(), "a lease is in a slot of this world");
  return *node;
}

std::vector<std::size_t> Cluster::nodes_of(std::size_t server) const {
  std::vector<std::size_t> nodes;
  for (std::size_t node = 0; node < places_.size(); ++node) {
    if (places_[node].owner == server) nodes.push_back(node);
  }
  return nodes;
}

redis::SlotMap Cluster::map(std::optional<std::size_t> still) const {
  redis::SlotMap map;
  for (std::size_t node = 0; node < places_.size(); ++node) {
    const Place& it = places_[node];
    const bool has_still = still && it.before == still;
    map.move(slots_[node], place(has_still ? *still : it.owner));
  }
  return map;
}

redis::Value Cluster::serve(std::size_t server, const redis::Command& command, bool asking,
                            bool at_old_master, TrueTime now) {
  if (command[0] == "TIME") return time_of(servers_[server].clock, now);
  if (!ScriptArgs::is_script(command)) return redis::Value::status("OK");  // AUTH: not modelled
  const std::vector<std::string> keys = keys_of(command);
  // One that is in no slot of this world stands beside a lease, which is in one.
  const auto node = find_node(keys.front());
  if (!node || std::ranges::any_of(keys, [&](const std::string& key) { return find_node(key) != node; }))
    return redis::Value::error("CROSSSLOT Keys in request don't hash to the same slot");
  if (at_old_master && servers_[server].had.contains(*node))
    return nodes_[*node]->run_at_old_master(command, now);
  if (auto value = turn_away(server, *node, command, asking, now)) return *value;
  return run(server, *node, command, now);
}

std::optional<redis::Value> Cluster::turn_away(std::size_t server, std::size_t node,
                                               const redis::Command& command, bool asking,
                                               TrueTime now) const {
  const Place& it = places_[node];
  const auto to = [&](const char* word, std::size_t where) {
    return redis::Value::error(std::string(word) + " " + std::to_string(slots_[node]) + " " +
                               place(where).host + ":" + std::to_string(place(where).port));
  };
  const bool imports = it.target == server && asking;
  if (server != it.owner && !imports) return to("MOVED", it.owner);
  if (!it.target) return std::nullopt;
  std::size_t missing = 0;
  const std::vector<std::string> keys = keys_of(command);
  for (const std::string& key : keys) {
    if (!nodes_[node]->has(key, now) || it.gone.contains(key) != imports) missing += 1;
  }
  if (missing == 0 || (imports && keys.size() == 1)) return std::nullopt;
  if (!imports && missing == keys.size()) return to("ASK", *it.target);
  return redis::Value::error("TRYAGAIN Multiple keys request during rehashing of slot");
}

redis::Value Cluster::run(std::size_t server, std::size_t node, const redis::Command& command, TrueTime now) {
  const Server& it = servers_[server];
  nodes_[node]->serve_as(it.life, it.clock);
  redis::Value value = nodes_[node]->run(command, now);
  Place& where = places_[node];
  if (value.kind != redis::Value::Kind::error) where.forgot = false;
  if (where.target == server) {
    for (const std::string& key : keys_of(command)) where.gone.insert(key);
  }
  return value;
}

void Cluster::restart(std::size_t server, Memory memory, const WallClock& clock, TrueTime now) {
  finish_moves(server);
  new_life(server, clock);
  servers_[server].had.clear();
  for (const std::size_t node : nodes_of(server)) {
    nodes_[node]->restart(memory, clock, now);
    nodes_[node]->serve_as(servers_[server].life, clock);
    places_[node].forgot = true;
  }
}

void Cluster::fail_over(std::size_t server, Deposed deposed, const WallClock& clock, TrueTime now) {
  finish_moves(server);
  new_life(server, clock);
  servers_[server].had.clear();
  for (const std::size_t node : nodes_of(server)) {
    nodes_[node]->fail_over(deposed, clock, now);
    nodes_[node]->serve_as(servers_[server].life, clock);
    servers_[server].had.insert(node);
    places_[node].forgot = true;
  }
}

void Cluster::step_clock(std::size_t server, Duration by) { servers_[server].clock.step(by); }

bool Cluster::begin_move(std::size_t node, std::size_t to) {
  Place& it = places_[node];
  if (it.target || it.owner == to || it.forgot) return false;
  it.target = to;
  return true;
}

bool Cluster::go_on_moving(std::size_t node, TrueTime now) {
  Place& it = places_[node];
  if (!it.target) return false;
  std::vector<std::string> left = nodes_[node]->all_keys(now);
  std::erase_if(left, [&](const std::string& key) { return it.gone.contains(key); });
  if (left.empty()) {
    finish_move(node);
    return false;
  }
  it.gone.insert(left[random_.below(left.size())]);
  return true;
}

void Cluster::finish_moves() {
  for (std::size_t node = 0; node < places_.size(); ++node) {
    if (places_[node].target) finish_move(node);
  }
}

void Cluster::finish_moves(std::size_t server) {
  for (std::size_t node = 0; node < places_.size(); ++node) {
    if (places_[node].target && (places_[node].target == server || places_[node].owner == server))
      finish_move(node);
  }
}

void Cluster::finish_move(std::size_t node) {
  Place& it = places_[node];
  it.before = std::exchange(it.owner, *it.target);
  it.target.reset();
  it.gone.clear();
  for (Server& server : servers_) server.had.erase(node);
  const Server& now_at = servers_[it.owner];
  nodes_[node]->serve_as(now_at.life, now_at.clock);
  // Who fails over from now on has at least what came with the move.
  nodes_[node]->on_moved();
}

}  // namespace tenure::sim
