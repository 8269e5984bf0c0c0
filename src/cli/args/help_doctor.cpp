#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view doctor_help_text =
    R"(Examines the nodes, says whether they would grant leases, and what to do if not. Changes nothing.

Usage: tenure doctor [OPTIONS]

      --ttl DURATION    the TTL that you use: do the nodes answer fast enough for it? (30s)
      --json            one JSON object instead of text; docs/doctor.md says what is in it
      --lock-prefix TEXT  what the keys of locks begin with: may the user use such keys? (redlock:)

@NODES@

A node that answers is UP. One that would grant a lease now is healthy: it is version 7 or later, not a replica, no
single node of a Redis Cluster, not listed twice, has maxmemory-policy noeviction, is known to Tenure and not in quarantine,
answers fast enough for the TTL, has a clock that is off by less than half the cap, and grants its user all rights.
A Redis Cluster (redis-cluster://) is one node: its masters and replicas are shown, and how many of its slots are
served and give leases. A few that do not are a warning.
A PostgreSQL must have the schema (tenure init), not be a standby, and grant its user all rights; docs/doctor.md says more.
What could not be examined, because the user may not run INFO or CONFIG, is reported and is not an error.

Exit codes:
    0 all nodes are healthy; there may be notes
    1 a majority is healthy, but not all nodes are; or there are warnings: look into it today
    2 no majority is healthy: nobody gets a lease
   64 usage

Examples:
  tenure doctor
  tenure doctor --redis redis://a --redis redis://b --redis redis://c --ttl 5s
  TENURE_REDIS=redis://:password@cache:6379 tenure doctor --json
  tenure doctor --store postgresql://app@db/app
)";

}  // namespace tenure::cli
