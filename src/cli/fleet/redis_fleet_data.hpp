// What a fleet keeps in a Redis beside its leases.
#pragma once

#include <memory>

#include "cli/fleet/fleet_data.hpp"
#include "poll/session_json.hpp"
#include "redis/script_call.hpp"
#include "redis/session_call.hpp"
#include "redis/url.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::cli {

struct RedisFleetPlace {
  redis::Address address{};
  runtime::Tls tls{};
  redis::SessionKeys keys{};
  redis::Keyspace keyspace{};
  StoredSessionsOptions::Find find = StoredSessionsOptions::Find::scan;
  poll::Addresses addresses = poll::Addresses::http;
};
std::unique_ptr<FleetData> redis_fleet_data(RedisFleetPlace place);

}  // namespace tenure::cli
