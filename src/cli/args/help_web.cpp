#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view web_help_text =
    R"(Serves a page, and JSON, of locks, elections and fleets, with a timeline of who owned what. Changes nothing.

Usage: tenure web [OPTIONS]

      --http ADDRESS:PORT  where to listen (127.0.0.1:7411), as in 127.0.0.1:9090, [::1]:9090 or 9090; port 0 takes a
                        free one. The address is said at the start
      --http-token-file FILE  who looks must show this token (Authorization: Bearer); needed to serve on an address
                        that other machines reach, unless
      --http-open       lets everybody look who reaches the address
      --lock-prefix TEXT  what the keys of locks begin with, before the name (redlock:)
      --index           read the index that tenure sessions keeps instead of scanning all keys: for large keyspaces

@FLEET@

@NODES@

  /                     the page
  /livez, /readyz       is it alive; do the nodes give leases, and if not, why not
  /metrics              how the nodes are, for Prometheus
  /api/v1/self          this process
  /api/v1/nodes         the nodes, as tenure doctor sees them
  /api/v1/locks, /api/v1/elections, /api/v1/fleets  all of them; scans all keys of each node, page by page
  /api/v1/fleet         one fleet: instances, balance, counts; ?fleet=NAME for another than --fleet
  /api/v1/sessions      its sessions; ?search=TEXT&sort=failing&limit=100&offset=100
  /api/v1/timeline      who owned what, and when; ?kind=session, lock or election
  /api/v1/events        what changes, as it happens (server-sent events)

Answers are kept for a quarter of a second, longer where it takes long to make them, so that many viewers cost the nodes no
more than one. While nobody watches, the nodes are looked at once a second, or less often where that takes long. Only GET
and HEAD are answered. docs/http-api.md says what is in each answer.

Exit codes: 0 ended by a signal; 64 usage, or the address cannot be used; 69 somebody else listens there; 125 tenure
itself failed.

Examples:
  tenure web
  tenure web --store postgresql://web@db/app
  tenure web --http 0.0.0.0:7411 --http-token-file /etc/tenure/token --redis redis://a --redis redis://b --redis redis://c
  curl -s http://127.0.0.1:7411/api/v1/locks
)";

}  // namespace tenure::cli
