// A fleet and its sessions as they are shown: pages for people, JSON for programs.
#pragma once

#include <string>

#include "cli/fleet/fleet_view.hpp"
#include "cli/json.hpp"
#include "cli/table.hpp"

namespace tenure::cli {

// A line for each session, good or bad, with a heading.
std::string sessions_table(const FleetView& view, const Screen& screen);
// {"sessions": […]}
std::string sessions_json(const FleetView& view);

// Everything, with so many lines in each list at most.
std::string status_page(const FleetView& view, const std::string& fleet, std::size_t lines_max,
                        const Screen& screen);
// The same without the sessions: for the endpoint (docs/http-api.md).
std::string fleet_json(const FleetView& view, const std::string& fleet);
// What all show of a session, in an object that is open.
void add_session_fields(Json& json, const SessionView& session);
// docs/status-json.md says what is in it.
std::string status_json(const FleetView& view, const std::string& fleet);

// The same as cells of a table: who is missing, and what fails, stands out.
Cell result_cell(const SessionView& session, std::int64_t now_ms);
Cell owner_cell(const SessionView& session);

// "ok 3s ago", "error 3s ago", "never".
std::string result_words(const SessionView& session, std::int64_t now_ms);
// "web-3", "nobody", "-" of a paused session, "perhaps web-3".
std::string owner_words(const SessionView& session);
// Whole units, the largest that is not too coarse: 90s, 5m, 3h, 12d.
std::string age_words(std::int64_t milliseconds);
// "-" where there is nothing.
std::string left_words(core::Ttl left);
// Which nodes give no new leases, why and for how long: a heading, and lines for each. Empty where all do.
std::string closed_words(const FleetView& view, const Paint& paint);
// Of its lease, if that counts.
std::string lease_left(const SessionView& session);

}  // namespace tenure::cli
