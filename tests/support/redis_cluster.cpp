#include "support/redis_cluster.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "redis/url_parts.hpp"
#include "support/wait.hpp"

namespace tenure::test {

namespace {

using redis::Slot;
using redis::slots;
using redis::Value;
using std::chrono::milliseconds;

constexpr auto patience = std::chrono::seconds(30);
constexpr auto migration_timeout = "5000";
constexpr std::size_t keys_at_once = 100;

void must(bool come_true, const std::string& what) {
  if (!come_true) throw std::runtime_error("the Cluster: " + what);
}

// "0-5460" or "7"; what is on its way to another node stands in brackets, and is none.
std::optional<std::pair<std::size_t, std::size_t>> range_of(const std::string& word) {
  if (word.starts_with('[')) return std::nullopt;
  const auto dash = word.find('-');
  const std::size_t first = std::stoul(word.substr(0, dash));
  return std::pair(first, dash == std::string::npos ? first : std::stoul(word.substr(dash + 1)));
}

}  // namespace

bool RedisCluster::Seen::is(std::string_view flag) const {
  std::istringstream words(flags);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == flag) return true;
  }
  return false;
}

bool RedisCluster::Seen::serves(Slot first, Slot last) const {
  // Redis joins ranges that touch.
  return std::ranges::any_of(ranges, [&](const auto& it) { return it.first <= first && last <= it.second; });
}

RedisCluster::RedisCluster() : RedisCluster(Options{}) {}

RedisCluster::RedisCluster(Options options) : options_(std::move(options)) {
  start_servers();
  join();
  wait_until_ready();
}

void RedisCluster::start_servers() {
  RedisServer::Options server{.tcp = true, .tls = options_.tls, .cluster = true};
  server.arguments = {"--cluster-node-timeout",
                      std::to_string(options_.node_timeout.count()),
                      "--cluster-replica-validity-factor",
                      "0",
                      "--cluster-migration-barrier",
                      "100",
                      "--repl-diskless-sync-delay",
                      "0"};
  if (!options_.tls.empty())
    server.arguments.insert(server.arguments.end(), {"--tls-replication", "yes", "--tls-cluster", "yes"});
  if (!options_.password.empty()) {
    server.password = options_.password;
    server.arguments.insert(server.arguments.end(),
                            {"--requirepass", options_.password, "--masterauth", options_.password});
  }
  server.arguments.insert(server.arguments.end(), options_.arguments.begin(), options_.arguments.end());
  for (std::size_t i = 0; i < options_.masters * (1 + options_.replicas); ++i) {
    servers_.emplace_back(server);
    ids_.push_back(servers_.back().command({"CLUSTER", "MYID"}).text);
  }
}

void RedisCluster::join() {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    // Otherwise all have the same, and must first find out who takes another.
    must_say_ok(i, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    if (i >= options_.masters) continue;
    must_say_ok(i, {"CLUSTER", "ADDSLOTSRANGE", std::to_string(i * slots / options_.masters),
                    std::to_string((i + 1) * slots / options_.masters - 1)});
  }
  // Each is told of each: they would hear of the others from one alone, and take longer.
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      must_say_ok(i, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(servers_[k].port()),
                      std::to_string(servers_[k].bus_port())});
    }
  }
  must(wait_until([this] { return std::ranges::all_of(running(), [this](auto i) { return knows_all(i); }); },
                  patience),
       "its nodes do not find each other");
  for (std::size_t i = options_.masters; i < servers_.size(); ++i)
    must_say_ok(i, {"CLUSTER", "REPLICATE", ids_[i % options_.masters]});
}

std::string RedisCluster::url() const {
  std::string url = options_.tls.empty() ? "redis-cluster://" : "rediss-cluster://";
  if (!options_.password.empty()) url += ":" + redis::percent_encoded(options_.password) + "@";
  for (std::size_t i = 0; i < servers_.size(); ++i)
    url += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(servers_[i].port());
  return url;
}

std::vector<RedisCluster::Seen> RedisCluster::seen_by(std::size_t index) {
  std::vector<Seen> nodes;
  std::istringstream lines(servers_.at(index).command({"CLUSTER", "NODES"}).text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Seen node;
    std::string skipped;
    // id, address, flags, master, ping sent, pong received, epoch, state of the link, slots
    words >> node.id >> skipped >> node.flags >> node.follows >> skipped >> skipped >> skipped >> skipped;
    for (std::string word; words >> word;) {
      if (const auto range = range_of(word)) node.ranges.push_back(*range);
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

RedisCluster::Seen RedisCluster::self_of(std::size_t index) {
  for (auto& node : seen_by(index)) {
    if (node.id == id(index)) return node;
  }
  throw std::runtime_error("the Cluster: a node does not know itself");
}

std::vector<std::size_t> RedisCluster::running() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (runs(i)) all.push_back(i);
  }
  return all;
}

bool RedisCluster::knows_all(std::size_t index) {
  const auto seen = seen_by(index);
  return seen.size() == servers_.size() && std::ranges::all_of(ids_, [&](const std::string& id) {
           const auto node = std::ranges::find(seen, id, &Seen::id);
           return node != seen.end() && !node->is("handshake");
         });
}

bool RedisCluster::is_ready(std::size_t index) {
  RedisServer& node = servers_[index];
  if (node.command({"CLUSTER", "INFO"}).text.find("cluster_state:ok") == std::string::npos) return false;
  const auto seen = seen_by(index);
  for (const std::size_t other : running()) {
    const auto its = std::ranges::find(seen, id(other), &Seen::id);
    if (its == seen.end() || its->is("fail") || its->is("fail?") || its->is("handshake")) return false;
    // Whoever was replaced, or has moved slots, knows it best.
    const Seen itself = self_of(other);
    if (its->ranges != itself.ranges || its->is("master") != itself.is("master")) return false;
    if (its->follows != itself.follows) return false;
  }
  if (self_of(index).is("master")) return true;
  const auto role = node.command({"ROLE"}).items;
  return role.size() == 5 && role[3].text == "connected";
}

void RedisCluster::wait_until_ready() {
  must(wait_until([this] { return std::ranges::all_of(running(), [this](auto i) { return is_ready(i); }); },
                  patience),
       "it does not become ready");
  for (const std::size_t i : running()) {
    const auto followers = static_cast<std::int64_t>(
        std::ranges::count_if(running(), [&](auto other) { return self_of(other).follows == id(i); }));
    must(wait_until(
             [&] {
               return servers_[i].command({"WAIT", std::to_string(followers), "100"}).integer >= followers;
             },
             patience),
         "replicas do not follow");
  }
}

bool RedisCluster::is_master(std::size_t index) { return self_of(index).is("master"); }

std::size_t RedisCluster::master_of(Slot slot) {
  std::set<std::string> named;
  const auto agree = [&] {
    named.clear();
    for (const std::size_t i : running()) {
      const auto seen = seen_by(i);
      const auto its = std::ranges::find_if(seen, [&](const Seen& node) { return node.serves(slot); });
      named.insert(its == seen.end() ? "nobody" : its->id);
    }
    return named.size() == 1 && *named.begin() != "nobody";
  };
  must(wait_until(agree, patience), "its nodes do not agree who serves slot " + std::to_string(slot));
  return static_cast<std::size_t>(std::ranges::find(ids_, *named.begin()) - ids_.begin());
}

std::size_t RedisCluster::replica_of(std::size_t master) {
  for (const std::size_t i : running()) {
    if (self_of(i).follows == id(master)) return i;
  }
  throw std::runtime_error("the Cluster: nobody follows " + std::to_string(master));
}

std::chrono::milliseconds RedisCluster::election_time() const {
  return std::max(4 * options_.node_timeout, milliseconds(4000)) + milliseconds(200);
}

void RedisCluster::let_votes_expire(std::size_t replica) const {
  const auto last = elected_.find(replica);
  if (last != elected_.end()) std::this_thread::sleep_until(last->second + election_time());
}

void RedisCluster::before_absence_of(std::size_t index) {
  for (const auto& [replica, when] : elected_) {
    if (runs(replica) && self_of(replica).follows == id(index)) let_votes_expire(replica);
  }
}

void RedisCluster::kill(std::size_t index) {
  before_absence_of(index);
  servers_.at(index).kill();
  away_.insert(index);
}

void RedisCluster::restart(std::size_t index) {
  servers_.at(index).restart();
  away_.erase(index);
}

void RedisCluster::stop(std::size_t index) {
  before_absence_of(index);
  servers_.at(index).pause();
  away_.insert(index);
}

void RedisCluster::go_on(std::size_t index) {
  servers_.at(index).resume();
  away_.erase(index);
}

Value RedisCluster::must_say_ok(std::size_t index, const std::vector<std::string>& command) {
  auto said = servers_.at(index).command(command);
  must(said.text == "OK", command[0] + " " + command[1] + ": " + said.text);
  return said;
}

void RedisCluster::fail_over(std::size_t replica, FailOver how) {
  const Seen before = self_of(replica);
  const auto master = std::ranges::find(ids_, before.follows);
  must(master != ids_.end(), "server " + std::to_string(replica) + " follows nobody");
  const auto ranges = [&] {
    const auto seen = seen_by(replica);
    return std::ranges::find(seen, before.follows, &Seen::id)->ranges;
  }();
  must(!ranges.empty(), "the master serves nothing");
  std::vector<std::string> command{"CLUSTER", "FAILOVER"};
  if (how == FailOver::by_force) command.emplace_back("FORCE");
  if (how == FailOver::takeover) command.emplace_back("TAKEOVER");
  if (how != FailOver::takeover) let_votes_expire(replica);
  bool promoted = false;
  for (int attempt = 0; attempt < 10 && !promoted; ++attempt) {
    const auto said = servers_.at(replica).command(command);
    // One whose master hangs may be promoted meanwhile without being asked.
    must(said.text == "OK" || is_master(replica), "CLUSTER FAILOVER: " + said.text);
    promoted = wait_until([&] { return is_master(replica); }, election_time());
    elected_[replica] = std::chrono::steady_clock::now();
  }
  must(promoted, "server " + std::to_string(replica) + " is not promoted");
  for (const auto& [first, last] : ranges)
    wait_until_all_say(static_cast<Slot>(first), static_cast<Slot>(last), replica);
}

void RedisCluster::wait_until_all_say(Slot first, Slot last, std::size_t master) {
  const auto say_so = [&] {
    return std::ranges::all_of(running(), [&](auto i) {
      const auto seen = seen_by(i);
      const auto its = std::ranges::find(seen, id(master), &Seen::id);
      return its != seen.end() && its->serves(first, last);
    });
  };
  must(wait_until(say_so, patience), "not all nodes say that server " + std::to_string(master) +
                                         " serves the slots from " + std::to_string(first) + " to " +
                                         std::to_string(last));
}

void RedisCluster::begin_move(Slot slot, std::size_t from, std::size_t to) {
  const std::string number = std::to_string(slot);
  // In this order, so that nobody is sent to a node that knows nothing of it.
  must_say_ok(to, {"CLUSTER", "SETSLOT", number, "IMPORTING", id(from)});
  must_say_ok(from, {"CLUSTER", "SETSLOT", number, "MIGRATING", id(to)});
}

void RedisCluster::move_key(const std::string& key, std::size_t from, std::size_t to) {
  std::vector<std::string> command{"MIGRATE", "127.0.0.1", std::to_string(servers_.at(to).port()),
                                   key,       "0",         migration_timeout};
  if (!options_.password.empty()) command.insert(command.end(), {"AUTH", options_.password});
  const auto said = servers_.at(from).command(command);
  must(said.text == "OK" || said.text == "NOKEY", "MIGRATE " + key + ": " + said.text);
}

std::size_t RedisCluster::move_keys(Slot slot, std::size_t from, std::size_t to, std::size_t most) {
  std::size_t moved = 0;
  while (moved < most) {
    const auto keys = servers_.at(from)
                          .command({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot),
                                    std::to_string(std::min(most - moved, keys_at_once))})
                          .items;
    if (keys.empty()) break;
    for (const Value& key : keys) move_key(key.text, from, to);
    moved += keys.size();
  }
  return moved;
}

void RedisCluster::give(Slot slot, std::size_t from, std::size_t to) {
  const std::vector<std::string> command{"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id(to)};
  // First whom it is to belong to: while nobody serves it, it could be lost.
  must_say_ok(to, command);
  must_say_ok(from, command);
}

void RedisCluster::end_move(Slot slot, std::size_t from, std::size_t to) {
  give(slot, from, to);
  wait_until_all_say(slot, slot, to);
}

void RedisCluster::cancel_move(Slot slot, std::size_t from, std::size_t to) {
  for (const std::size_t index : {from, to})
    must_say_ok(index, {"CLUSTER", "SETSLOT", std::to_string(slot), "STABLE"});
}

void RedisCluster::move_slots(Slot first, Slot last, std::size_t from, std::size_t to) {
  for (Slot slot = first; slot <= last; ++slot) {
    begin_move(slot, from, to);
    move_keys(slot, from, to);
    give(slot, from, to);
  }
  wait_until_all_say(first, last, to);
}

}  // namespace tenure::test
