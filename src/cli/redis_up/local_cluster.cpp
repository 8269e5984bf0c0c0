#include "cli/redis_up/local_cluster.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/doctor/server_info.hpp"
#include "cli/redis_up/configuration.hpp"
#include "cli/redis_up/local_ports.hpp"
#include "core/base/text.hpp"
#include "redis/cluster/slot_map.hpp"
#include "redis/net/caller.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr std::string_view folder = "cluster-";

using Answer = tl::expected<redis::Value, core::Failure>;

Answer ask(const ServerProcess& server, const redis::Command& command) {
  auto redis = redis::Caller::connect(server.address(), seconds(1));
  if (!redis) return tl::unexpected(redis.error());
  return redis->call(command);
}

tl::expected<ServerInfo, core::Failure> replication_of(const ServerProcess& server) {
  auto redis = redis::Caller::connect(server.address(), seconds(1));
  if (!redis) return tl::unexpected(redis.error());
  return ask_info(*redis, {"replication"});
}

std::string server_on(const ServerProcess& server) { return "the server on " + server.port_text(); }

// CLUSTER INFO has fields as INFO does.
tl::expected<ServerInfo, std::string> cluster_info(const ServerProcess& server) {
  const auto answer = ask(server, {"CLUSTER", "INFO"});
  if (!answer)
    return tl::unexpected(server_on(server) + " does not say how the Cluster is: " + answer.error().detail);
  return ServerInfo(answer->text);
}

// Its ports in order: all servers must say the same.
std::vector<redis::HostPort> masters_of(const redis::SlotMap& map) {
  auto masters = map.masters();
  std::ranges::sort(masters, {}, &redis::HostPort::port);
  return masters;
}

}  // namespace

LocalCluster::LocalCluster(const fs::path& root, std::uint16_t port)
    : directory_(fs::absolute(root) / (std::string(folder) + std::to_string(port))) {
  for (int i = 0; i < server_count; ++i)
    servers_.emplace_back(directory_, static_cast<std::uint16_t>(port + i));
}

redis::Address LocalCluster::address() const {
  redis::Address address;
  address.kind = redis::Address::Kind::cluster;
  for (const auto& server : servers_) address.seeds.push_back({.host = "127.0.0.1", .port = server.port()});
  return address;
}

const ServerProcess* LocalCluster::any_master() const {
  const auto found = std::ranges::find_if(servers_, [](const ServerProcess& server) {
    const auto info = replication_of(server);
    return info && !info->is_replica();
  });
  return found == servers_.end() ? nullptr : &*found;
}

std::optional<std::string> LocalCluster::start(ServerProcess& server) const {
  return server.launch({cluster_conf(server, bus_of(server)), {}, server.address()});
}

std::optional<std::string> LocalCluster::tell(const ServerProcess& server,
                                              const redis::Command& command) const {
  const auto answer = ask(server, command);
  const std::string what = server_on(server) + " refuses CLUSTER " + command.at(1) + ": ";
  if (!answer) return what + answer.error().detail;
  if (answer->kind == redis::Value::Kind::error) return what + core::printable(answer->text);
  return std::nullopt;
}

std::optional<std::string> LocalCluster::introduce() const {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    // Otherwise all have the same, and must first find out who takes another.
    if (auto why = tell(servers_[i], {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)})) return why;
    if (i >= master_count) continue;
    const std::string first = std::to_string(i * redis::slots / master_count);
    const std::string last = std::to_string((i + 1) * redis::slots / master_count - 1);
    if (auto why = tell(servers_[i], {"CLUSTER", "ADDSLOTSRANGE", first, last})) return why;
  }
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    // Each is told of each: they would take longer to hear of the others from one alone.
    for (std::size_t k = 0; k < i; ++k) {
      if (auto why = tell(servers_[i], {"CLUSTER", "MEET", "127.0.0.1", std::to_string(servers_[k].port()),
                                        std::to_string(bus_of(servers_[k]))})) {
        return why;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> LocalCluster::share_out() const {
  for (std::size_t i = master_count; i < servers_.size(); ++i) {
    const ServerProcess& master = servers_[i - master_count];
    const auto id = ask(master, {"CLUSTER", "MYID"});
    if (!id) return server_on(master) + " does not say who it is: " + id.error().detail;
    if (auto why = tell(servers_[i], {"CLUSTER", "REPLICATE", id->text})) return why;
  }
  return std::nullopt;
}

std::optional<std::string> LocalCluster::not_acquainted() const {
  for (const auto& server : servers_) {
    const auto answer = ask(server, {"CLUSTER", "NODES"});
    if (!answer) return server_on(server) + " does not say whom it knows: " + answer.error().detail;
    const auto lines = std::ranges::count(answer->text, '\n');
    if (lines != server_count || answer->text.find("handshake") != std::string::npos)
      return server_on(server) + " does not know all others";
  }
  return std::nullopt;
}

std::optional<std::string> LocalCluster::not_ready() const {
  std::optional<std::vector<redis::HostPort>> masters;
  for (const auto& server : servers_) {
    const auto info = cluster_info(server);
    if (!info) return info.error();
    if (info->field("cluster_state") != "ok") return server_on(server) + " says that the Cluster is down";
    const auto answer = ask(server, redis::slots_question());
    if (!answer) return server_on(server) + " does not say who serves what: " + answer.error().detail;
    const auto map = redis::read_slot_map(*answer, "127.0.0.1");
    if (!map) return server_on(server) + ": " + map.error().detail;
    if (map->served() < redis::slots) {
      return server_on(server) + " knows who serves " + std::to_string(map->served()) + " of " +
             std::to_string(redis::slots) + " slots";
    }
    if (masters && *masters != masters_of(*map))
      return server_on(server) + " names other masters than the others";
    masters = masters_of(*map);
    const auto role = replication_of(server);
    if (!role) return server_on(server) + " does not say whom it follows: " + role.error().detail;
    if (role->is_replica() && role->field("master_link_status") != "up")
      return server_on(server) + " does not follow its master yet";
    if (!role->is_replica() && role->field("connected_slaves") == "0")
      return "no replica follows the master on " + server.port_text();
  }
  return std::nullopt;
}

std::vector<LocalCluster> clusters_in(const fs::path& root) {
  std::vector<LocalCluster> clusters;
  for (const auto port : ports_in(root, folder)) clusters.emplace_back(root, port);
  return clusters;
}

}  // namespace tenure::cli
