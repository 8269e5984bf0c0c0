// Which fleet is meant: the nodes of its leases, and the Redis of all else that is known about it.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "cli/args/args.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "redis/poll/redis_sessions.hpp"
#include "redis/session_call.hpp"

namespace tenure::cli {

struct ChosenFleet {
  ChosenStore store;
  redis::Address data{};
  redis::SessionKeys keys{};
  poll::Addresses addresses = poll::Addresses::http;
  StoredSessionsOptions::Find find = StoredSessionsOptions::Find::scan;
};

// The error is a sentence about the words on the command line.
tl::expected<ChosenFleet, std::string> choose_fleet(const FleetTarget& target);
// For whoever shows the other leases there as well: also where fleets are refused.
tl::expected<ChosenFleet, std::string> choose_fleet_or_none(const FleetTarget& target);
// Why there can be no fleets in that store; nothing where there can.
std::optional<std::string> no_fleets(const ChosenStore& store);

tl::expected<redis::Caller, core::Failure> connect_to_data(const ChosenFleet& fleet);
redis::RedisSessions sessions_of(const ChosenFleet& fleet);

}  // namespace tenure::cli
