#include "cli/fleet/chosen_fleet.hpp"

#include <string_view>
#include <utility>

#include "api/open_store.hpp"
#include "cli/ask_all.hpp"
#include "cli/fleet/postgresql_fleet_data.hpp"
#include "cli/fleet/redis_fleet_data.hpp"
#include "cli/secrets.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "postgres/url.hpp"

namespace tenure::cli {

namespace {

// What a PostgreSQL has no use for.
std::optional<std::string> given_in_vain(const FleetTarget& target) {
  const char* option = nullptr;
  if (!target.session_prefix.empty()) option = "--session-prefix";
  if (target.index) option = "--index";
  if (option == nullptr) return std::nullopt;
  return std::string(option) +
         " is for sessions in Redis; in PostgreSQL they are rows of tenure.session, and need none";
}

std::string one_kind(const char* data, const char* leases) {
  return std::string("--data names a ") + data + ", and the leases are in " + leases +
         ": both must be of one kind";
}

constexpr std::string_view no_data_in_cluster =
    "a Redis Cluster cannot keep the sessions, heartbeats and results of a fleet, which are not in one slot: "
    "keep them in a single Redis, by --data redis://host:port; the leases may be in the Cluster";

std::optional<std::string> choose_redis_data(const FleetTarget& target,
                                             const std::optional<redis::Address>& data, ChosenFleet& fleet) {
  if (!target.data.empty() && !data) return one_kind("PostgreSQL", "Redis");
  const redis::Address& first = fleet.store.redis->addresses.front();
  if (data.value_or(first).kind == redis::Address::Kind::cluster) {
    return (data ? "--data: " : "") + std::string(no_data_in_cluster);
  }
  fleet.apart = data && *data != first;
  fleet.redis = data.value_or(first);
  return std::nullopt;
}

std::optional<std::string> choose_postgresql_data(const FleetTarget& target, ChosenFleet& fleet) {
  if (auto error = given_in_vain(target)) return error;
  if (!target.data.empty() && !postgres::is_url(target.data)) return one_kind("Redis", "PostgreSQL");
  const auto place = fleet.store.store->fleet_data(target.data, {});
  if (!place) return "--data: " + place.error();
  fleet.postgresql = place->data.url;
  const auto first = fleet.store.store->fleet_data("", {});
  fleet.apart = first && !detail::same_postgresql(first->data.url, fleet.postgresql);
  return std::nullopt;
}

}  // namespace

std::string ChosenFleet::data_place() const {
  return redis ? redis::to_text(*redis) : core::printable(postgres::without_passwords(postgresql), 400);
}

tl::expected<ChosenFleet, std::string> choose_fleet(const FleetTarget& target) {
  if (auto error = core::name_error("the prefix of sessions", target.session_prefix);
      error && !target.session_prefix.empty()) {
    return tl::unexpected(*error);
  }
  std::optional<redis::Address> data;
  if (!target.data.empty() && !postgres::is_url(target.data)) {
    auto address = redis::parse_url(target.data);
    if (!address) return tl::unexpected("--data: " + address.error());
    data = std::move(*address);
  }
  auto store = choose_store(target.nodes, data ? &*data : nullptr);
  if (!store) return tl::unexpected(store.error());
  if (const auto keys = store->store->fleet_keys(target.fleet); !keys) return tl::unexpected(keys.error());
  ChosenFleet fleet{
      .store = std::move(*store), .name = target.fleet, .session_prefix = target.session_prefix};
  if (auto error = fleet.store.redis ? choose_redis_data(target, data, fleet)
                                     : choose_postgresql_data(target, fleet)) {
    return tl::unexpected(std::move(*error));
  }
  if (target.any_address) fleet.addresses = poll::Addresses::any;
  if (target.index) fleet.find = StoredSessionsOptions::Find::index;
  return fleet;
}

std::unique_ptr<FleetData> open_data(const ChosenFleet& fleet) {
  const std::string& root = fleet.store.inspector->root();
  if (!fleet.redis) return postgresql_fleet_data(fleet.postgresql, root + fleet.name, fleet.addresses);
  return redis_fleet_data({.address = *fleet.redis,
                           .tls = fleet.store.redis->tls,
                           .keys = {fleet.name, fleet.session_prefix, root},
                           .keyspace = fleet.store.redis->keyspace,
                           .find = fleet.find,
                           .addresses = fleet.addresses});
}

}  // namespace tenure::cli
