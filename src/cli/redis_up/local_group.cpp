#include "cli/redis_up/local_group.hpp"

#include <algorithm>
#include <string_view>

#include "cli/doctor/sentinel_facts.hpp"
#include "cli/doctor/server_info.hpp"
#include "cli/redis_up/configuration.hpp"
#include "cli/redis_up/local_ports.hpp"
#include "cli/redis_up/watched_master.hpp"
#include "redis/net/caller.hpp"
#include "redis/url_parts.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr std::string_view folder = "sentinel-";

std::string of(std::ptrdiff_t some, int all) { return std::to_string(some) + " of " + std::to_string(all); }

}  // namespace

LocalGroup::LocalGroup(const fs::path& root, std::uint16_t port)
    : directory_(fs::absolute(root) / (std::string(folder) + std::to_string(port))) {
  const auto at = [&](int i) { return static_cast<std::uint16_t>(port + i); };
  for (int i = 0; i < sentinel_count; ++i)
    sentinels_.emplace_back(directory_, at(i), ServerProcess::Kind::sentinel);
  for (int i = 0; i < server_count; ++i) servers_.emplace_back(directory_, at(sentinel_count + i));
}

redis::Address LocalGroup::address() const {
  redis::Address address;
  address.kind = redis::Address::Kind::sentinel;
  for (const auto& sentinel : sentinels_) {
    address.group.sentinels.push_back({.host = "127.0.0.1", .port = sentinel.port()});
  }
  address.group.master = name;
  return address;
}

const ServerProcess& LocalGroup::master() const {
  std::optional<WatchedMaster> latest;
  for (const auto& sentinel : sentinels_) {
    const auto watched = watched_master(sentinel.configuration(), name);
    if (watched && (!latest || watched->epoch > latest->epoch)) latest = watched;
  }
  const auto it = std::ranges::find_if(
      servers_, [&](const ServerProcess& server) { return latest && server.port() == latest->port; });
  return it == servers_.end() ? servers_.front() : *it;
}

std::optional<std::string> LocalGroup::start_server(ServerProcess& server,
                                                    const ServerProcess& master) const {
  // Whatever stands in its configuration: a master that was replaced while it was dead does not know of that.
  std::vector<std::string> role{"--replicaof", "no", "one"};
  if (server.port() != master.port()) role = {"--replicaof", "127.0.0.1", std::to_string(master.port())};
  return server.launch({watched_redis_conf(server), role, server.address()});
}

std::optional<std::string> LocalGroup::start_sentinel(ServerProcess& sentinel,
                                                      const ServerProcess& master) const {
  return sentinel.launch(
      {sentinel_conf(sentinel, name, master.port(), quorum), {"--sentinel"}, sentinel.address()});
}

std::optional<std::string> LocalGroup::not_ready() const {
  const ServerProcess& its_master = master();
  redis::HostPort where{.host = "127.0.0.1", .port = its_master.port()};
  for (const auto& facts : look_at_sentinels(address(), {}, seconds(1))) {
    const std::string who = "the Sentinel " + facts.place;
    if (facts.down) return who + " does not say who the master is: " + facts.down->detail;
    if (facts.master != redis::to_text(where))
      return who + " names another master than the others: " + facts.master;
    if (facts.replicas < server_count - 1 || facts.other_sentinels < sentinel_count - 1) {
      return who + " knows " + of(facts.replicas, server_count - 1) + " replicas and " +
             of(facts.other_sentinels, sentinel_count - 1) + " other Sentinels";
    }
    if (facts.no_quorum) return who + " says that no failover can be agreed on: " + *facts.no_quorum;
  }
  return not_replicated(its_master);
}

std::optional<std::string> LocalGroup::not_replicated(const ServerProcess& master) const {
  auto redis = redis::Caller::connect(master.address(), seconds(1));
  const auto info = redis ? ask_info(*redis, {"replication"}) : tl::unexpected(redis.error());
  const std::string who = "the master on " + master.port_text();
  if (!info) return who + " does not say who follows it: " + info.error().detail;
  if (info->is_replica()) return "the server on " + master.port_text() + " is no master any more";
  const auto replicas = replicas_in(*info);
  const auto online = std::ranges::count_if(replicas, [](const auto& it) { return it.online; });
  if (online >= server_count - 1) return std::nullopt;
  return of(online, server_count - 1) + " replicas follow " + who;
}

std::vector<LocalGroup> groups_in(const fs::path& root) {
  std::vector<LocalGroup> groups;
  for (const auto port : ports_in(root, folder)) groups.emplace_back(root, port);
  return groups;
}

}  // namespace tenure::cli
