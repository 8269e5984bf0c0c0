#include "cli/fleet/chosen_fleet.hpp"

#include "cli/ask_all.hpp"
#include "core/base/names.hpp"

namespace tenure::cli {

std::optional<std::string> no_fleets(const ChosenStore& store) {
  if (store.redis) return std::nullopt;
  return "fleets need Redis so far, and " + store.inspector->names().front() + " is a PostgreSQL";
}

tl::expected<ChosenFleet, std::string> choose_fleet(const FleetTarget& target) {
  auto fleet = choose_fleet_or_none(target);
  if (!fleet) return fleet;
  if (auto error = no_fleets(fleet->store)) return tl::unexpected(std::move(*error));
  return fleet;
}

tl::expected<ChosenFleet, std::string> choose_fleet_or_none(const FleetTarget& target) {
  if (auto error = core::name_error("the prefix of sessions", target.session_prefix);
      error && !target.session_prefix.empty()) {
    return tl::unexpected(*error);
  }
  std::optional<redis::Address> data;
  if (!target.data.empty()) {
    auto address = redis::parse_url(target.data);
    if (!address) return tl::unexpected("--data: " + address.error());
    data = std::move(*address);
  }
  auto store = choose_store(target.nodes, data ? &*data : nullptr);
  if (!store) return tl::unexpected(store.error());
  if (const auto keys = store->store->fleet_keys(target.fleet); !keys) return tl::unexpected(keys.error());
  ChosenFleet fleet{.store = std::move(*store), .keys = {target.fleet, target.session_prefix}};
  fleet.keys.root = fleet.store.inspector->root();
  if (data) {
    fleet.data = std::move(*data);
  } else if (fleet.store.redis) {
    fleet.data = fleet.store.redis->addresses.front();
  }
  if (target.any_address) fleet.addresses = poll::Addresses::any;
  if (target.index) fleet.find = StoredSessionsOptions::Find::index;
  return fleet;
}

tl::expected<redis::Caller, core::Failure> connect_to_data(const ChosenFleet& fleet) {
  return redis::Caller::connect(fleet.data, ask_timeout, fleet.store.redis->tls);
}

redis::RedisSessions sessions_of(const ChosenFleet& fleet) {
  return redis::RedisSessions(
      {fleet.data, fleet.store.redis->tls, fleet.keys, fleet.find, fleet.addresses, ask_timeout});
}

}  // namespace tenure::cli
