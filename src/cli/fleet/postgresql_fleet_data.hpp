// What a fleet keeps in a PostgreSQL beside its leases.
#pragma once

#include <memory>
#include <string>

#include "cli/fleet/fleet_data.hpp"
#include "poll/session_json.hpp"

namespace tenure::cli {

// The URL is one that was read before, and the fleet as the tables name it.
std::unique_ptr<FleetData> postgresql_fleet_data(const std::string& url, std::string fleet,
                                                 poll::Addresses addresses);

}  // namespace tenure::cli
