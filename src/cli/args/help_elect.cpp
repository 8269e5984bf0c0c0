#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view elect_help_text =
    R"(Takes part in an election: of all that take part under the same name, at most one leads at a time.

Usage: tenure elect NAME [OPTIONS]
       tenure elect NAME [OPTIONS] -- COMMAND [ARGUMENT...]

Without a command it writes one line for each event, at once:
  elected term=5             we lead; the term grows with every leader
  lost reason=WORD term=5    we lead no more: not_renewed, missing, taken, stopped
  leader id=web-2 term=6     who leads now, ourselves too
  no leader                  nobody does, or nobody that can be seen from here
SIGTERM or Ctrl-C ends it: it gives leadership back, and the next one leads at once.

With a command it runs that while it leads, and by the rules of tenure run: when leadership is lost the command and
all that it has started get SIGTERM, and SIGKILL before another can lead; then it campaigns again. When the command
ends by itself, tenure gives leadership back and exits with its code. TENURE_TOKEN is the term.

      --observe         only tell who leads
      --json            each line is a JSON object: event, name, and term, id, reason, drained where they apply
      --lease DURATION  how long a leader that has died stays leader to the others (15s)
      --renew DURATION  from one renewal to the next (a third of the lease)
      --grace DURATION  how long a leader whose renewals fail goes on trying (a third of the lease)
      --drain DURATION  how long its work gets to end before another can lead (two fifteenths of the lease)
      --id TEXT         what others see as our name (host, time, chance)

@NODES@

The name is the key in Redis, as it is. Renew, grace, drain, a node timeout (a fifteenth of the lease, at most 1s)
and a margin for clocks (a tenth of the lease, and 2ms) must fit into the lease together. All candidates of one name
should use the same lengths; where they do not, each leader's own count. Grace and drain are at least 10ms.
Durations: 500ms, 30s, 2m.

A Redis that does not answer is waited for, unless too many nodes refuse the user, password, rights or certificate.

Exit codes: 0 ended by a signal, without a command; that of the command, or 128+N when signal N ended it or the wait
for leadership; 64 usage, 69 Redis refuses us, 125 tenure itself failed, or this machine has no open files left; 126 and
127 the command cannot be run or found.

Examples:
  tenure elect myapp:leader
  tenure elect myapp:leader --observe --json
  tenure elect myapp:leader -- ./run-the-scheduler
  tenure elect myapp:leader --lease 6s --id "$HOSTNAME" --redis redis://a --redis redis://b --redis redis://c
)";

}  // namespace tenure::cli
