// Every event that the program logs beside those of the library, with its level. A test compares both tables with
// docs/logs.md.
#pragma once

#include "runtime/engine/log_events.hpp"

namespace tenure::cli {

using runtime::LogEvent;

namespace log_event {

using namespace runtime::log_event;

// Of every command.
inline constexpr LogEvent failed{"failed", LogLevel::error};
inline constexpr LogEvent note{"note", LogLevel::info};
inline constexpr LogEvent even_nodes{"even_nodes", LogLevel::warn};
inline constexpr LogEvent serving{"serving", LogLevel::info};

// Of run, and of a command while it leads.
inline constexpr LogEvent busy{"busy", LogLevel::info};
inline constexpr LogEvent command_stopped{"command_stopped", LogLevel::warn};
inline constexpr LogEvent command_killed{"command_killed", LogLevel::warn};
inline constexpr LogEvent command_late{"command_late", LogLevel::error};
inline constexpr LogEvent process_protected{"process_protected", LogLevel::error};
inline constexpr LogEvent process_stuck{"process_stuck", LogLevel::error};
inline constexpr LogEvent suspended{"suspended", LogLevel::warn};
inline constexpr LogEvent terminal_wanted{"terminal_wanted", LogLevel::info};
inline constexpr LogEvent release_failed{"release_failed", LogLevel::warn};

// Of elect.
inline constexpr LogEvent elected{"elected", LogLevel::info};
inline constexpr LogEvent leader_changed{"leader_changed", LogLevel::info};
inline constexpr LogEvent no_leader{"no_leader", LogLevel::info};
inline constexpr LogEvent campaigning{"campaigning", LogLevel::info};

// Of poll.
inline constexpr LogEvent starting{"starting", LogLevel::info};
inline constexpr LogEvent namesake_seen{"namesake_seen", LogLevel::info};
inline constexpr LogEvent leaving{"leaving", LogLevel::info};
inline constexpr LogEvent left{"left", LogLevel::info};
inline constexpr LogEvent lease_certain{"lease_certain", LogLevel::info};
inline constexpr LogEvent open{"open", LogLevel::info};
inline constexpr LogEvent poll_started{"poll_started", LogLevel::debug};
inline constexpr LogEvent poll_failed{"poll_failed", LogLevel::warn};
inline constexpr LogEvent poll_recovered{"poll_recovered", LogLevel::info};
inline constexpr LogEvent result_refused{"result_refused", LogLevel::warn};
inline constexpr LogEvent session_bad{"session_bad", LogLevel::error};
inline constexpr LogEvent session_good{"session_good", LogLevel::info};
inline constexpr LogEvent sessions_unreadable{"sessions_unreadable", LogLevel::warn};
inline constexpr LogEvent sessions_readable{"sessions_readable", LogLevel::info};
inline constexpr LogEvent results_dropped{"results_dropped", LogLevel::warn};
inline constexpr LogEvent results_stored{"results_stored", LogLevel::info};

}  // namespace log_event

}  // namespace tenure::cli
