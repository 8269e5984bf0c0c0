#include "cli/nodes/cluster_masters.hpp"

#include <algorithm>
#include <utility>

#include "redis/failure.hpp"
#include "redis/url_parts.hpp"

namespace tenure::cli {

namespace {

// Neither side has to keep more than a few hundred kilobytes of what the other has not read yet.
constexpr std::size_t commands_per_part = 500;

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
      if (value.kind == redis::Value::Kind::error) return tl::unexpected(redis::classify(value.text));
      values.push_back(std::move(value));
    }
  }
  return values;
}

core::Failure at_master(const redis::HostPort& where, core::Failure failure) {
  failure.detail = redis::to_text(where) + ": " + failure.detail;
  return failure;
}

}  // namespace tenure::cli
