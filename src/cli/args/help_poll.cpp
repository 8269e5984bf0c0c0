#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view poll_help_text =
    R"(Runs one instance of a fleet: it polls its share of the sessions in the store, each of which has one owner at a time.

Usage: tenure poll [OPTIONS]

Start as many as you like, anywhere; they find each other and share the sessions evenly. An instance that
dies is replaced when its leases run out; one that is stopped (SIGTERM, Ctrl-C) hands its sessions over first.
Sessions are the keys session:ID, JSON with address and interval_ms (4s to 120s), written by "tenure sessions" or by
any other program; in a PostgreSQL they are rows of tenure.session.

Each session's address is fetched by HTTP GET when it is due; the request names the instance and the token in
X-Tenure-Instance and X-Tenure-Token. The result goes to the hash state:ID, by a script that refuses it if a later
owner has stored one, and to the channel poll:events:ID. With --fleet NAME all of these begin with NAME: instead. In a
PostgreSQL it goes to tenure.state, by a statement that refuses it likewise, and the column fleet has the name.

      --exec COMMAND      run this with /bin/sh -c instead, with TENURE_SESSION, TENURE_ADDRESS, TENURE_TOKEN and
                          TENURE_INSTANCE in its environment; its output is the result. What it leaves running when it
                          ends is killed
      --ttl DURATION      how long the sessions of an instance that has died stay with it (30s)
      --renew DURATION    from one renewal to the next, and one heartbeat to the next (a third of the TTL)
      --strict            ask the nodes themselves before every poll
      --timeout DURATION  how long one poll may take (10s)
      --weight N          how much this instance takes, compared with others (1)
      --id TEXT           the name under which others see us (host, time and a random number); no live instance may
                          have the same one. Waits until the heartbeat of one that was killed has run out
      --index             read only what "tenure sessions" has changed, instead of scanning all keys
      --local-redirects   follow redirects to loopback, link-local and unspecified addresses; without it only for
                          sessions whose own address is one of these
      --http-ca FILE      the CAs to trust for https addresses (those that this system trusts)
      --log-format text|json  else TENURE_LOG_FORMAT, else text on a terminal and JSON elsewhere. Given as json, errors on
                          stderr are such lines, too. --json and --text mean the same
      --log-level error|warn|info|debug  the least that is logged; debug has each renewal and each poll. Else
                          TENURE_LOG_LEVEL, else info, and debug while it has few sessions
@HTTP@

@FLEET@
@NODES@

If the store does not answer, tenure waits for it and polls nothing meanwhile; if it refuses the user, password, rights
or certificate at the start, tenure exits. While so many nodes are in quarantine that no new lease is granted, one line
says so, with the nodes and the time that is left, and another one when it is over. Durations: 500ms, 30s, 2m.

Exit codes: 0 ended by a signal; 64 usage, 69 the store refuses us or the port of --http is taken, 75 a live instance has
this id already, 125 tenure itself failed, or this machine has no file descriptor left.

Examples:
  tenure sessions add s-1 https://example.org/health --every 10s
  tenure poll
  tenure poll --exec 'curl -fsS "$TENURE_ADDRESS"'
  tenure poll --redis redis://a --redis redis://b --redis redis://c --data redis://a
)";

const std::string_view demo_help_text =
    R"(Shows a fleet at work on this machine: a private Redis, three instances, nine sessions, and a server that is polled
and records who polled it. One instance is killed, its sessions pass on; it starts again, and gets a share again.

Usage: tenure demo [--plain] [--seconds N] [OPTIONS]

      --plain      print one line for each event, instead of a picture that is redrawn
      --seconds N  end when all has been shown (about 30 s), and fail if that takes longer than N seconds
      --store URL  on this Redis or PostgreSQL (several times: on a majority of them) instead of a private Redis, with a
                   fleet of its own, whose name begins with demo-. Needs the rights of a fleet and of tenure sessions;
                   on a Redis for ~demo-* and &demo-*, on a PostgreSQL also DELETE on tenure.state and tenure.fleet.
                   --redis-file, --ttl-max, --prefix, --node-set and --tls-… mean what they mean for poll

On a terminal it goes on until Ctrl-C unless --seconds is given. Elsewhere it ends by itself, as with --seconds 120.
At the end it reports what it saw: polls, overlaps, gaps. It leaves nothing behind.

Exit codes:
    0 all was shown, or you ended it
    1 two instances polled a session at the same time, a session was not taken over in time, or an instance ended early
   64 usage
   69 too few nodes answer
   76 the nodes give no new leases to us: no schema or record yet (tenure init), a quarantine, another cap or set,
      or rights that are missing
  125 it cannot begin for another reason, as where there is no redis-server

Examples:
  tenure demo
  tenure demo --seconds 60 > demo.log
  tenure demo --store postgresql://web@db/app
)";

}  // namespace tenure::cli
