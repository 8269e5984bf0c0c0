#include "cli/args/help.hpp"

#include <utility>

namespace tenure::cli {

namespace {

// Of all commands that speak to nodes; stands for the line @NODES@.
constexpr std::string_view node_options =
    R"(      --redis URL       redis://[[user]:password@]host[:port][/database], rediss:// for TLS, or
                        unix:///path[?db=N], or redis-sentinel://host[:port],…/database#NAME for the master that
                        these Sentinels know by that name, or redis-cluster://host[:port],… for a Redis Cluster, of
                        which a few servers are enough; given several times: nodes of which a majority decides,
                        usually 3 or 5 (not Clusters); else TENURE_REDIS (several separated by commas),
                        TENURE_REDIS_FILE, REDIS_URL, redis://127.0.0.1:6379.
                        --store and TENURE_STORE are aliases of --redis and TENURE_REDIS. It may be a PostgreSQL
                        as well: postgresql://[user[:password]@]host/database; and for locks and elections a
                        Kubernetes, kubernetes://[NAMESPACE], or a Consul, consul://host[:port][/PREFIX], consuls://
                        for TLS, each of which is one node (docs/stores.md)
      --redis-file FILE  instead, one URL on each line: for passwords; # begins a comment
      --tls-ca FILE     the CAs to trust; else TENURE_TLS_CA, else those that this system trusts
      --tls-cert FILE   our certificate, for a server that asks for one; else TENURE_TLS_CERT
      --tls-key FILE    its private key; else TENURE_TLS_KEY
      --tls-name NAME   the name that servers' certificates must show; else TENURE_TLS_NAME, else the host in
                        the URL
      --ttl-max DURATION  the cap: the longest TTL of any lease on these nodes, the same for all their
                        clients; else TENURE_TTL_MAX, else 60s
      --node-set NAME   a name for this set of nodes, the same for all clients; else TENURE_NODE_SET, else
                        it is made from their addresses, which all clients must then write alike
      --prefix TEXT     what every key of Tenure begins with: clients with different prefixes share nothing.
                        Only the default, tenure:, is put before Tenure's own keys alone, not before names)";

// Of the commands that stay; stands for the line @LOG@.
constexpr std::string_view log_options =
    R"(      --log-format text|json  of what tenure itself says on stderr; json is one object a line and nothing else, also
                        for errors. Else TENURE_LOG_FORMAT, else text
      --log-level error|warn|info|debug  the least that is logged; else TENURE_LOG_LEVEL, else info, as text without
                        what merely happens to leases)";

// Of all commands about a fleet; stands for the line @FLEET@.
constexpr std::string_view fleet_options =
    R"(      --data URL        the store of sessions, heartbeats and results (the first --redis). A Redis Cluster
                        cannot keep them: then a single Redis, while the leases may be in the Cluster
      --fleet NAME      which fleet (poll). Fleets share nothing: all keys of one begin with its name and a colon,
                        as in NAME:session:ID and NAME:state:ID. In the default fleet only leases, heartbeats
                        and channels do, and its sessions are session:ID
      --session-prefix TEXT  what the keys of its sessions begin with instead
      --any-address     the fleet polls by a command, so any address will do, not only http:// and https://)";

// Of all commands that serve an endpoint; stands for the line @HTTP@.
constexpr std::string_view http_options =
    R"(      --http ADDRESS:PORT  serve probes, metrics and state by HTTP, as in 127.0.0.1:9090, [::1]:9090 or 9090; port 0
                        takes a free one, and says which. docs/http-api.md says what is served
      --http-token-file FILE  who looks must show this token (Authorization: Bearer); needed to serve on an address
                        that other machines reach, unless
      --http-open       lets everybody look who reaches the address)";

}  // namespace

const std::string_view help_text =
    R"(Tenure gives a name at most one owner at a time, on Redis, PostgreSQL, Kubernetes or Consul.

Usage: tenure COMMAND [OPTIONS]

  run        run a command while holding a name
  elect      lead, or see who leads; run a command while leading
  init       make a Redis or a PostgreSQL that is new to Tenure ready, or upgrade its schema
  reconfigure  change the nodes of a set that is in use, or its longest TTL
  doctor     say whether the nodes are fit for leases, and what to do if not
  lock       show who holds what, and take a name away
  poll       run an instance of a fleet: poll a fair share of the sessions
  sessions   add, remove, pause and list what a fleet polls
  status     show a fleet: its instances, who owns what, what fails
  explain    say why a session has the owner that it has
  web        serve a page, and JSON, of locks, elections and fleets
  demo       show a fleet of three at work, and what happens when one is killed
  redis      start and end private Redis servers on this machine
  help       this page, or that of a command: tenure help run
  --version

Every command takes --color auto|always|never. By default there are colours where the output is a terminal, unless
NO_COLOR is set or TERM is dumb; there are none in JSON.

Examples:
  tenure init
  tenure run nightly-report -- ./report.sh --all
  tenure elect myapp:leader -- ./scheduler
)";

const std::string_view init_help_text =
    R"(Makes a Redis or a PostgreSQL that is new to Tenure ready, so that nobody waits; or upgrades a schema.

Usage: tenure init [OPTIONS]
       tenure init --print-sql

      --print-sql       asks no node: prints the SQL that makes the schema tenure in a PostgreSQL, for somebody who
                        may create schemas there, and says how to go on

@NODES@

Without it the first clients wait for a quarantine, a little longer than the cap, because nobody can tell a new
Redis from one that has lost its data. If there are several nodes, all must answer and be new, or nothing is changed.

In a Redis Cluster each of the 16,384 slots has a record, and all slots must be served and new. When this command was
interrupted, run it again: it completes what is missing, unless a slot has been used and has lost its record since.

In a PostgreSQL it also makes the schema tenure, if that is not there. This takes the right CREATE on the database.
One of an earlier version is upgraded, all of it or nothing, while leases stand: run this as the role that owns the
schema, then start the new programs.

Exit codes: 0 done, 73 a node has a record already (nothing was changed), 64 usage, 69 a node does not answer,
refuses, or is not one that Tenure works with.

Examples:
  tenure init
  tenure init --redis redis://cache:6379 --ttl-max 2m
  tenure init --redis redis://a --redis redis://b --redis redis://c
  tenure init --redis redis-cluster://a:7000,b:7000,c:7000
  tenure init --store postgresql://app@db/app
  tenure init --print-sql | psql -1 -v ON_ERROR_STOP=1 postgresql://admin@db/app
)";

const std::string_view reconfigure_help_text =
    R"(Changes which nodes decide together, or the longest TTL (the cap), while they are in use.

Usage: tenure reconfigure [OPTIONS]

      --leaving URL     a node that shall no longer decide; may be given several times
      --abandon SET     give up a set that was begun by mistake: you assert that no node which is not named
                        here grants leases as part of it
  -y, --yes             do not ask

@NODES@

--redis names all the nodes that shall decide from now on; --ttl-max and --node-set are what they shall have. The record
of each node says which set it belongs to and what its cap is, and clients that name another set are refused. Leases do
not outlive a change: first every node named is closed, then each node of the new set gets its new record, and nobody
gets a lease until the longest lease from before, by the old cap or the new, is over. tenure waits for that. In a PostgreSQL
that joins it also makes the schema tenure, if that is not there. A Redis Cluster cannot be reconfigured.

All nodes named must answer, and the nodes of the old set that are not named must be a minority of it. Simply leave out
a node that is dead. If this command is interrupted, nobody gets leases on the nodes that were closed: run it again.

  1. tenure reconfigure --redis … for each node of the new set
  2. restart all clients with the same list. Those with the old list get nothing, and say why.

Exit codes: 0 done, or there was nothing to change; 1 you said no; 64 usage; 69 a node does not answer or refuses;
73 too few nodes of the old set are named.

Examples:
  tenure reconfigure --redis redis://a --redis redis://b --redis redis://c --redis redis://d --redis redis://e
  tenure reconfigure --redis redis://a --redis redis://b --redis redis://new   # in place of redis://c, which is dead
  tenure reconfigure --redis redis://a --leaving redis://b --leaving redis://c
  tenure reconfigure --redis redis://cache:6379 --ttl-max 2m
  tenure reconfigure --store postgresql://db-1/app --store postgresql://db-2/app --store postgresql://db-3/app
)";

std::string complete(std::string_view text) {
  std::string page(text);
  for (const auto& [mark, options] : {std::pair(std::string_view("@LOG@"), log_options),
                                      {"@FLEET@", fleet_options},
                                      {"@NODES@", node_options},
                                      {"@HTTP@", http_options}}) {
    if (const auto at = page.find(mark); at != std::string::npos) page.replace(at, mark.size(), options);
  }
  return page;
}

}  // namespace tenure::cli
