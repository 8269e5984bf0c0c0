#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view status_help_text =
    R"(Shows a fleet: its instances, how evenly sessions are shared, who owns what, and what fails.

Usage: tenure status [--json] [--watch] [--all] [OPTIONS]

      --json            one JSON object, with all sessions; docs/status-json.md says what is in it
      --watch           repeat every second until Ctrl-C; with --json one object on each line. On a terminal as much
                        as fits into its window
      --all             show all sessions, not only the first 50 of each list
      --index           read the index that tenure sessions keeps instead of scanning all keys: for large keyspaces

@FLEET@

@NODES@

Leases are read from all nodes; the owner is the one that a majority shows. Instances are ready, leaving, or silent (the
instance owns sessions, but its heartbeat has run out: it has died, and its leases will end). OWNED is what the leases
show. An instance's share follows from its weight; the fleet is balanced within one when no instance is a whole session
off its share. Nodes that grant no new leases, as in a quarantine after a restart, are named with the reason and the time
that is left.

Exit codes: 0 done, 64 usage, 69 too few nodes answer, or the store of --data does not.

Examples:
  tenure status
  tenure status --watch
  tenure status --json | jq '.balance.within_one'
)";

const std::string_view explain_help_text =
    R"(Says why a session has the owner that it has, or none.

Usage: tenure explain SESSION [OPTIONS]

      --index           read the index that tenure sessions keeps instead of scanning all keys: for large keyspaces

@FLEET@

@NODES@

Shows the session's fields, who has its lease and for how long, its last result, and how placement ranks the instances
for it: the highest-ranked one with room for one more gets it, and the owner keeps it as long as it has no more than its
share. Nodes that grant no new leases now are named with the reason.

Exit codes: 0 there is such a session, 1 there is none, or its JSON is wrong, 64 usage, 69 too few nodes answer.

Examples:
  tenure explain shop
)";

}  // namespace tenure::cli
