#include "cli/fleet/chosen_fleet.hpp"

#include "cli/ask_all.hpp"
#include "core/base/names.hpp"
#include "redis/key_names.hpp"

namespace tenure::cli {

tl::expected<ChosenFleet, std::string> choose_fleet(const FleetTarget& target) {
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
  auto nodes = choose_nodes(target.nodes, data ? &*data : nullptr);
  if (!nodes) return tl::unexpected(nodes.error());
  if (auto error = redis::fleet_error(target.fleet, nodes->keyspace)) return tl::unexpected(*error);
  ChosenFleet fleet{.nodes = std::move(*nodes), .keys = {target.fleet, target.session_prefix}};
  fleet.keys.root = fleet.nodes.keyspace.root();
  fleet.data = data ? std::move(*data) : fleet.nodes.addresses.front();
  if (target.any_address) fleet.addresses = poll::Addresses::any;
  if (target.index) fleet.find = StoredSessionsOptions::Find::index;
  return fleet;
}

tl::expected<redis::Caller, core::Failure> connect_to_data(const ChosenFleet& fleet) {
  return redis::Caller::connect(fleet.data, ask_timeout, fleet.nodes.tls);
}

redis::RedisSessions sessions_of(const ChosenFleet& fleet) {
  return redis::RedisSessions(
      {fleet.data, fleet.nodes.tls, fleet.keys, fleet.find, fleet.addresses, ask_timeout});
}

}  // namespace tenure::cli
