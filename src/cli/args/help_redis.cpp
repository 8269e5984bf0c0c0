#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view redis_help_text =
    R"help(Starts and stops private Redis servers on this machine: a set of nodes, a group with Sentinels, or a Redis Cluster.

Usage: tenure redis up [N] [--port PORT] [--dir DIR]
       tenure redis up --sentinel [--port PORT] [--dir DIR]
       tenure redis up --cluster [--port PORT] [--dir DIR]
       tenure redis down [--dir DIR]

  up                    starts N independent servers (3) on 127.0.0.1 and makes them ready for Tenure if all are new;
                        those that already run are left alone. Prints a line for your shell: it sets TENURE_REDIS
  down                  stops the servers that were started from DIR, and nothing else; their data stays

      --sentinel        starts one node that survives its server: a master, two replicas, and three Sentinels, which
                        promote a replica a few seconds after the master has ended
      --cluster         starts a Redis Cluster of six servers: three masters that share all names, and a replica of each,
                        which takes its place a few seconds after it has ended
      --port PORT       the first port; the others follow it (6379; with --sentinel 26379: first the Sentinels, then
                        the servers, which are on 26382 to 26384; with --cluster 7000: the servers, which hear each
                        other on 7006 to 7011)
      --dir DIR         where each has a directory with its configuration, log and data, those of a group
                        below sentinel-PORT, those of a Cluster below cluster-PORT (XDG_STATE_HOME/tenure/redis, else ~/.local/state/tenure/redis)

They listen on 127.0.0.1 only, keep their data (appendonly, every second) and never evict keys (noeviction). What you
change in a redis.conf there stays. A server that "down" has stopped resumes with its leases at the next "up", unless its
files were changed, the clock was set or the machine was restarted meanwhile. After any other end it grants no new leases
for a quarantine, a little longer than the cap, and then opens by itself.

With --sentinel the master takes writes only while a replica follows it (min-replicas-to-write 1), and from the first start
on the Sentinels say who is the master: a later "up" starts what has ended as a replica of that one. There is a quarantine
after each failover, and after each "down".

With --cluster the servers decide from the first start on who is a master of what, and a later "up" only starts what has
ended. A shard that is down holds up no names but its own.

Servers on one machine fail together: this is for trying things out and for tests.

Exit codes: 0 done (also if there was nothing to do), 64 usage, 69 a port is taken, or a server does not start or
stop (what this call has started is stopped again), 125 the directory cannot be used, 127 there is no redis-server.

Examples:
  eval "$(tenure redis up)"           # 6379, 6380 and 6381, and TENURE_REDIS in this shell
  eval "$(tenure redis up --sentinel)"   # sets TENURE_REDIS: kill the master, and watch the failover
  eval "$(tenure redis up --cluster)"    # six servers on 7000 to 7005
  tenure redis up 5 --port 7000 --dir /tmp/five
  tenure redis down
)help";

}  // namespace tenure::cli
