#include "cli/doctor/cluster_facts.hpp"

#include <map>
#include <sstream>
#include <utility>

#include "cli/doctor/node_findings.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "cli/nodes/tls_options.hpp"
#include "redis/net/cluster_call.hpp"
#include "redis/record_text.hpp"
#include "redis/url_parts.hpp"
#include "runtime/engine/at_once.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

// By the id of their master, also those that are dead, which a map of the slots does not show. "host:port@port,name" is the place.
std::map<std::string, std::vector<std::string>> replicas_in_nodes(const std::string& text) {
  std::map<std::string, std::vector<std::string>> replicas;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id;
    std::string place;
    std::string flags;
    std::string master;
    words >> id >> place >> flags >> master;
    if (flags.find("slave") == std::string::npos || flags.find("noaddr") != std::string::npos) continue;
    replicas[master].push_back(place.substr(0, place.find('@')));
  }
  return replicas;
}

std::optional<redis::HostPort> place_of(const std::string& text) {
  const auto colon = text.rfind(':');
  redis::HostPort where;
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  where.host = text.substr(0, colon);
  const bool has_brackets = where.host.find(':') != std::string::npos;
  if (redis::read_host_and_port(has_brackets ? "[" + where.host + "]" + text.substr(colon) : text, where)) {
    return std::nullopt;
  }
  return where;
}

ReplicaShown look_at_replica(const redis::Address& server, const runtime::Tls& tls, core::Duration timeout) {
  ReplicaShown shown{.place = redis::to_text(redis::HostPort{server.host, server.port})};
  auto redis = redis::Caller::connect(server, timeout, tls);
  const auto round_trip = redis.and_then([](redis::Caller& it) { return measure_round_trip(it); });
  if (round_trip) {
    shown.round_trip = *round_trip;
  } else if (!is_about_command(round_trip.error())) {
    shown.down = naming_tls_options(round_trip.error().detail);
  }
  return shown;
}

// What stands behind "cluster_state:".
Asked<std::string> ask_state(redis::Caller& redis) {
  return redis.call({"CLUSTER", "INFO"}).map([](const redis::Value& answer) {
    return std::string(ServerInfo(answer.text).field("cluster_state"));
  });
}

Asked<SlotCounts> ask_records(redis::Caller& redis, const Master& master, const redis::Keyspace& keyspace,
                              const std::string& life) {
  std::vector<redis::Command> commands;
  for (const redis::Slot slot : master.slots) commands.push_back({"GET", keyspace.of_slot(slot).record()});
  return call_each(redis, commands).map([&](const std::vector<redis::Value>& values) {
    std::vector<std::string> records;
    for (const redis::Value& value : values) records.push_back(value.text);
    return count_records(records, life, keyspace.terms());
  });
}

}  // namespace

SlotCounts count_records(const std::vector<std::string>& records, const std::string& life,
                         const core::Terms& ours) {
  SlotCounts counts;
  for (const std::string& text : records) {
    const core::FoundRecord record = redis::found_record(text);
    if (record.absent()) {
      counts.absent += 1;
    } else if (!record.read || record.read->terms != ours) {
      counts.other += 1;
    } else if (!life.empty() && life_in(text) != life) {
      counts.restarted += 1;
    } else {
      (record.read->open ? counts.open : counts.quarantined) += 1;
    }
  }
  return counts;
}

ClusterFacts look_at_cluster(const redis::Nodes& nodes, const UsedKeys& keys, core::Duration timeout) {
  const redis::Address& cluster = nodes.addresses.front();
  const auto map = redis::find_slot_map(cluster, nodes.tls, timeout);
  if (!map) {
    Failure down = map.error();
    down.detail = naming_tls_options(std::move(down.detail));
    return {.down = std::move(down)};
  }
  const std::vector<Master> masters = masters_in(*map);
  ClusterFacts facts{.masters = std::vector<MasterFacts>(masters.size())};
  std::vector<Asked<std::string>> nodes_texts(masters.size());
  runtime::at_once(masters.size(), [&](std::size_t i) {
    const Master& master = masters[i];
    MasterFacts& its = facts.masters[i];
    its.place = redis::to_text(master.where);
    its.slots = master.slots.size();
    const redis::Address server = redis::server_of(cluster, master.where);
    its.facts =
        look_at(server, nodes.tls, {keys.leases, keys.keyspace.of_slot(master.slots.front())}, timeout);
    auto redis = redis::Caller::connect(server, timeout, nodes.tls);
    if (its.facts.down || !redis) return;
    const std::string life = its.facts.info ? its.facts.info->life() : "";
    its.state = ask_state(*redis);
    nodes_texts[i] = redis->call({"CLUSTER", "NODES"}).map([](const redis::Value& it) { return it.text; });
    its.records = ask_records(*redis, master, nodes.keyspace, life);
  });
  std::map<std::string, std::vector<std::string>> known;
  for (const auto& text : nodes_texts) {
    if (text && known.empty()) known = replicas_in_nodes(*text);
  }
  std::vector<std::pair<std::size_t, redis::HostPort>> replicas;
  for (std::size_t i = 0; i < masters.size(); ++i) {
    const redis::Shard* const shard = map->shard_of(masters[i].slots.front());
    const auto found = known.find(shard->master.id);
    if (found == known.end()) {
      for (const auto& where : masters[i].replicas) replicas.emplace_back(i, where);
      continue;
    }
    for (const std::string& place : found->second) {
      if (const auto where = place_of(place)) replicas.emplace_back(i, *where);
    }
  }
  std::vector<ReplicaShown> shown(replicas.size());
  runtime::at_once(replicas.size(), [&](std::size_t i) {
    shown[i] = look_at_replica(redis::server_of(cluster, replicas[i].second), nodes.tls, timeout);
  });
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    facts.masters[replicas[i].first].replicas.push_back(std::move(shown[i]));
  }
  return facts;
}

}  // namespace tenure::cli
