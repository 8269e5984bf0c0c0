#include "cli/nodes/cluster_masters.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "redis/cluster/redirection.hpp"
#include "redis/failure.hpp"
#include "redis/net/cluster_call.hpp"
#include "redis/url_parts.hpp"

namespace tenure::cli {

namespace {

// Neither side has to keep more than a few hundred kilobytes of what the other has not read yet.
constexpr std::size_t commands_per_part = 500;

// A slot may move again while we follow it.
constexpr int hops_max = 5;

// What a master says instead of an answer.
core::Failure failure_of(const redis::Value& error) {
  const auto to = redis::read_redirection(error);
  if (!to || to->kind == redis::Redirection::Kind::down) return redis::classify(error.text);
  const bool names_slot = to->kind != redis::Redirection::Kind::try_again;
  return {core::Applied::no, core::FailureCode::busy,
          (names_slot ? "slot " + std::to_string(to->slot) : "one of its slots") +
              " is on its way to another server: try again when it is there"};
}

}  // namespace

const redis::Address* cluster_in(const redis::Nodes& nodes) {
  const auto& first = nodes.addresses.front();
  return first.kind == redis::Address::Kind::cluster ? &first : nullptr;
}

std::vector<Master> masters_in(const redis::SlotMap& map) {
  std::vector<Master> masters;
  for (std::size_t slot = 0; slot < redis::slots; ++slot) {
    const redis::Shard* const shard = map.shard_of(static_cast<redis::Slot>(slot));
    if (shard == nullptr) continue;
    auto master = std::ranges::find(masters, shard->master.place, &Master::where);
    if (master == masters.end()) {
      masters.push_back({.where = shard->master.place});
      master = std::prev(masters.end());
      for (const redis::ClusterNode& replica : shard->replicas) master->replicas.push_back(replica.place);
    }
    master->slots.push_back(static_cast<redis::Slot>(slot));
  }
  return masters;
}

tl::expected<std::vector<redis::Value>, core::Failure> call_each(redis::Caller& redis,
                                                                 std::span<const redis::Command> commands) {
  std::vector<redis::Value> values;
  values.reserve(commands.size());
  for (std::size_t from = 0; from < commands.size(); from += commands_per_part) {
    const auto part = commands.subspan(from, std::min(commands_per_part, commands.size() - from));
    auto answers = redis.call_all(part);
    if (!answers) return tl::unexpected(std::move(answers.error()));
    for (redis::Value& value : *answers) {
      if (value.kind == redis::Value::Kind::error) return tl::unexpected(failure_of(value));
      values.push_back(std::move(value));
    }
  }
  return values;
}

tl::expected<redis::Value, core::Failure> ask_slot(const redis::Nodes& cluster, redis::Slot slot,
                                                   const redis::Command& command, core::Duration timeout) {
  const redis::Address& address = cluster.addresses.front();
  const auto map = redis::find_slot_map(address, cluster.tls, timeout);
  if (!map) return tl::unexpected(map.error());
  const redis::HostPort* const master = map->master_of(slot);
  if (master == nullptr) return tl::unexpected(nobody_serves(slot));
  redis::HostPort where = *master;
  bool is_asking = false;
  for (int hop = 0;; ++hop) {
    auto redis = redis::Caller::connect(redis::server_of(address, where), timeout, cluster.tls);
    if (!redis) return tl::unexpected(at_master(where, redis.error()));
    std::vector<redis::Command> commands{command};
    if (is_asking) commands.insert(commands.begin(), {"ASKING"});
    auto answers = redis->call_all(commands);
    if (!answers) return tl::unexpected(at_master(where, answers.error()));
    redis::Value& answer = answers->back();
    const auto to = redis::read_redirection(answer);
    if (hop < hops_max && to && to->to.port != 0) {
      is_asking = to->kind == redis::Redirection::Kind::ask;
      where = {to->to.host.empty() ? where.host : to->to.host, to->to.port};
    } else if (answer.kind == redis::Value::Kind::error) {
      return tl::unexpected(at_master(where, failure_of(answer)));
    } else {
      return std::move(answer);
    }
  }
}

tl::expected<std::vector<Master>, core::Failure> find_all_masters(const redis::Nodes& cluster,
                                                                  core::Duration timeout) {
  const auto map = redis::find_slot_map(cluster.addresses.front(), cluster.tls, timeout);
  if (!map) return tl::unexpected(map.error());
  if (map->served() < redis::slots) {
    return tl::unexpected(core::Failure{
        core::Applied::no, core::FailureCode::server,
        "it serves only " + std::to_string(map->served()) + " of its " + std::to_string(redis::slots) +
            " slots: see which masters are missing (redis-cli cluster nodes)"});
  }
  return masters_in(*map);
}

core::Failure nobody_serves(redis::Slot slot) {
  return {core::Applied::no, core::FailureCode::server,
          "nobody serves slot " + std::to_string(slot) +
              ": see which master is missing (redis-cli cluster nodes)"};
}

core::Failure at_master(const redis::HostPort& where, core::Failure failure) {
  failure.detail = redis::to_text(where) + ": " + failure.detail;
  return failure;
}

}  // namespace tenure::cli
