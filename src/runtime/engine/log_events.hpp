// Every event that the library logs, with its level. A test compares this table with docs/logs.md, and no other file may
// make a LogEvent: so no line can be logged that is not documented.
#pragma once

#include <string_view>

#include "tenure/log.hpp"

namespace tenure::runtime {

struct LogEvent {
  std::string_view name;
  LogLevel level;
};

namespace log_event {

// Of leases.
inline constexpr LogEvent lease_acquired{"lease_acquired", LogLevel::info};
inline constexpr LogEvent lease_renewed{"lease_renewed", LogLevel::debug};
inline constexpr LogEvent lease_uncertain{"lease_uncertain", LogLevel::warn};
inline constexpr LogEvent lease_lost{"lease_lost", LogLevel::warn};
inline constexpr LogEvent lease_released{"lease_released", LogLevel::info};
inline constexpr LogEvent grant_unclaimed{"grant_unclaimed", LogLevel::warn};

// Of nodes, and of what they answer.
inline constexpr LogEvent clock_jumped{"clock_jumped", LogLevel::warn};
inline constexpr LogEvent name_held{"name_held", LogLevel::info};
inline constexpr LogEvent no_quorum{"no_quorum", LogLevel::warn};
inline constexpr LogEvent quarantine{"quarantine", LogLevel::warn};
inline constexpr LogEvent not_open{"not_open", LogLevel::error};
inline constexpr LogEvent access_denied{"access_denied", LogLevel::error};

// Of elections and fleets.
inline constexpr LogEvent term_overran{"term_overran", LogLevel::error};
inline constexpr LogEvent fleet_hindered{"fleet_hindered", LogLevel::warn};
inline constexpr LogEvent id_taken{"id_taken", LogLevel::error};

// Of this process.
inline constexpr LogEvent callback_threw{"callback_threw", LogLevel::error};
inline constexpr LogEvent no_thread{"no_thread", LogLevel::error};
inline constexpr LogEvent password_exposed{"password_exposed", LogLevel::warn};

}  // namespace log_event

}  // namespace tenure::runtime
