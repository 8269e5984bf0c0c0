#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view lock_help_text =
    R"(Shows who holds what, and takes a name away from its holder.

Usage: tenure lock ls [OPTIONS]
       tenure lock show NAME [OPTIONS]
       tenure lock break NAME [--yes] [--unsafe] [OPTIONS]

  ls                    all locks and elections that have a key: kind, state, owner, token, time left, how many
                        wait, and on how many nodes it is. A name on fewer than a majority is free. For fleets,
                        how many sessions are owned. Scans all keys of each node, page by page, and in
                        a Redis Cluster those of each master
  show                  one name, as a lock, an election and a session, and what each node shows for it
  break                 breaks the lease of a lock, and of nothing else. Its holder learns of it at its next renewal, at
                        most a third of its TTL away, and tenure run ends its command; the name stays taken until
                        nobody can believe any more that they hold it. Waits for that, and says when the name is
                        free. This cannot be undone

      --json            ls and show: one JSON object; docs/lock.md says what is in it
      --sessions        ls: also list the owned sessions of fleets, instead of counting them
      --fleet NAME      show: the fleet whose session it may be (poll)
  -y, --yes             break: do not ask. Needed where there is no terminal to ask on
      --unsafe          break: free the name at once, and wake the next waiter. The old holder does not know until
                        its next renewal: two may work at the same time, and only a fencing token that is
                        checked protects what they write to
      --lock-prefix TEXT  what the keys of locks begin with, before the name (redlock:)

@NODES@

States: held; perhaps (held if the nodes that do not answer show it, too); kept (reserved for a waiter for a moment);
broken (stays taken until its last holder can no longer believe that it holds it); foreign (not written by Tenure); free.

Exit codes:
    0 ls: done; show: the name is taken; break: it is broken, and was free at the end
    1 show: nobody has it; break: nobody has it, it is not a lock, it changed hands meanwhile, or you said no
   64 usage, or break without --yes and without a terminal
   69 too few nodes answer

Examples:
  tenure lock ls
  tenure lock show nightly-report --json
  tenure lock break nightly-report
  tenure lock break nightly-report --yes --unsafe
)";

}  // namespace tenure::cli
