#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view doctor_help_text =
    R"(Looks at the nodes, says whether leases can be had there, and what to do where not. Changes nothing.

Usage: tenure doctor [OPTIONS]

      --ttl DURATION    the TTL that you use: are the nodes near enough for it? (30s)
      --json            one JSON object instead of text; docs/doctor.md says what is in it
      --lock-prefix TEXT  what the keys of leases begin with: may the user use them? (redlock:)

@NODES@

UP is a node that answers. Healthy is one that would give a lease now: of version 7 or later, no replica, no
part of a Redis Cluster, not twice in the list, with maxmemory-policy noeviction, known to Tenure and not in
quarantine, near enough for the TTL, with a clock less than half the cap off, and with all rights for its user.
What could not be looked at, because the user may not ask for INFO or CONFIG, is said and is no error.

Exit codes:
    0 all nodes are healthy; there may be notes
    1 some node is not, and a majority is; or there are warnings: look at it today
    2 no majority is healthy: nobody gets a lease
   64 usage

Examples:
  tenure doctor
  tenure doctor --redis redis://a --redis redis://b --redis redis://c --ttl 5s
  TENURE_REDIS=redis://:password@cache:6379 tenure doctor --json
)";

}  // namespace tenure::cli
