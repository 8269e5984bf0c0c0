// What run and elect know of themselves, as their endpoint shows it: each function adds one member to an object, or writes one.
// docs/http-api.md says what is in it.
#pragma once

#include <string>

#include "cli/json.hpp"
#include "http/routes.hpp"
#include "tenure/clock.hpp"
#include "tenure/election.hpp"
#include "tenure/lease.hpp"

namespace tenure::cli {

// "lease": null while the name is waited for.
void add_lease(Json& json, const std::string& name, const Lease* lease);

// "election": null between two campaigns.
void add_election(Json& json, const ElectionOptions& options, const Election* election);

// {"name": "web-2", "term": 6}: what the leader elector sidecar of Kubernetes served, and the term. The name is empty where
// nobody leads, or nobody that can be seen from here.
http::Response leader_json(const Election* election);

// In milliseconds from now; not negative.
void add_left(Json& json, BootClock::time_point deadline);

}  // namespace tenure::cli
