// Locks as they are shown: a table, a sentence, JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/endpoint/page_of.hpp"
#include "cli/json.hpp"
#include "cli/lock/lock_look.hpp"
#include "cli/nodes/nodes.hpp"
#include "cli/screen/screen.hpp"

namespace tenure::cli {

// "held by web-3 for another 12s (token 5)", "free".
std::string lock_words(const LeaseView& lock);

// Held is as it should be; what waits or is not certain deserves a look, what Tenure did not write even more so.
Tone tone_of(LockState state);

// "a lock", "an election", "a session of the fleet poll". Of something that has a kind.
std::string kind_words(const LockView& lock);

// A line for each, with a heading; and one for each fleet.
std::string lock_table(const std::vector<LockView>& locks, const Screen& screen);
std::string fleet_lines(const std::vector<FleetCount>& fleets);

// One name, and below it what each node shows, by the nodes' names.
std::string lock_page(const LockView& lock, const std::vector<std::string>& names, const Paint& paint);

// "owner", "token" and "left_ms" of an object: null where nothing is there (left is -2), or has none.
void add_holder(Json& json, const core::Holder& holder, core::Ttl left);
// {"locks": […], "fleets": […]}, and one such lock by itself with what each node shows, and what else has the name.
// docs/lock.md says what is in it.
std::string locks_json(const AllLeases& leases);
// A page of those of one kind, under that key: for the endpoint (docs/http-api.md).
struct LeasesPage {
  std::string key;
  LeaseKind kind;
  std::string search;  // in name or owner; empty: all
  Page page;
  std::int64_t at_ms;  // when they were looked at
};
std::string leases_page_json(const LeasesPage& page, const std::vector<LockView>& leases);
// {"fleets": […]}: how many sessions are owned, and by how many instances.
std::string fleets_json(const std::vector<FleetCount>& fleets);
std::string lock_json(const std::vector<LockView>& locks, const std::vector<std::string>& names);

}  // namespace tenure::cli
