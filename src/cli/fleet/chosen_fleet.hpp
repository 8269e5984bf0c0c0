// Which fleet is meant: the nodes of its leases, and the Redis of all else that is known about it.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "cli/args/args.hpp"
#include "cli/nodes/nodes.hpp"
#include "redis/poll/redis_sessions.hpp"
#include "redis/session_call.hpp"

namespace tenure::cli {

struct ChosenFleet {
  Nodes nodes{};
  redis::Address data{};
  redis::SessionKeys keys{};
  poll::Addresses addresses = poll::Addresses::http;
  StoredSessionsOptions::Find find = StoredSessionsOptions::Find::scan;
};

// The error is a sentence about the words on the command line.
tl::expected<ChosenFleet, std::string> choose_fleet(const FleetTarget& target);

tl::expected<redis::Caller, core::Failure> connect_to_data(const ChosenFleet& fleet);
redis::RedisSessions sessions_of(const ChosenFleet& fleet);

}  // namespace tenure::cli
