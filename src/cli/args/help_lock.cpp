#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view lock_help_text =
    R"(Shows who holds what, and takes a name away from who holds it.

Usage: tenure lock ls [OPTIONS]
       tenure lock show NAME [OPTIONS]
       tenure lock break NAME [--yes] [--unsafe] [OPTIONS]

  ls                    all names that anything is kept for, of locks and elections: kind, state, owner, token, time
                        left, how many wait, and on how many nodes. A name on fewer than a majority is free. Of
                        fleets how many sessions are owned. Goes through all keys of each node, page by page
  show                  one name, as a lock, an election and a session, and what each node shows for it
  break                 breaks the lease of a lock, and of nothing else. Its holder is told at its next renewal, a third
                        of its TTL away at most, and tenure run ends its command; the name stays taken until nobody
                        can believe in the lease any more. Waits for that, and says when it is free. It cannot be
                        put back

      --json            ls and show: one JSON object; docs/lock.md says what is in it
      --sessions        ls: list the sessions of fleets that are owned, too, instead of counting them
      --fleet NAME      show: whose session it may be (poll)
  -y, --yes             break: do not ask. Needed where there is no terminal to ask on
      --unsafe          break: free the name at once, and call who waits. Its holder goes on believing until its
                        next renewal: two may work at the same time, and only a fencing token that is checked
                        protects what they write to
      --lock-prefix TEXT  what the keys of locks begin with, before the name (redlock:)

@NODES@

States: held; perhaps (held, if nodes that do not answer show it, too); kept (for a waiter, a moment); broken
(stays taken until its last holder cannot believe in it any more); foreign (not written by Tenure); free.

Exit codes:
    0 ls: done; show: the name is taken; break: it is broken, and was free at the end
    1 show: nobody has it; break: nobody has it, it is no lock, it has changed hands meanwhile, or you said no
   64 usage, or break without --yes and without a terminal
   69 too few nodes answer

Examples:
  tenure lock ls
  tenure lock show nightly-report --json
  tenure lock break nightly-report
  tenure lock break nightly-report --yes --unsafe
)";

}  // namespace tenure::cli
