#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view web_help_text =
    R"(Serves what the nodes show, by HTTP and as JSON: locks, elections, fleets and their sessions. Changes nothing.

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

  /livez, /readyz       is it alive; do the nodes give leases, and if not, why not
  /api/v1/self          this process
  /api/v1/nodes         the nodes, as tenure doctor sees them
  /api/v1/locks, /api/v1/elections, /api/v1/fleets  all of them; scans all keys of each node, page by page
  /api/v1/fleet         one fleet: instances, balance, counts; ?fleet=NAME for another than --fleet
  /api/v1/sessions      its sessions, by id; ?limit=100&after=ID for the next ones

Answers are kept for a few seconds, longer where it takes long to make them, so that many viewers cost the nodes no more
than one. Only GET and HEAD are answered. docs/http-api.md says what is in each answer.

Exit codes: 0 ended by a signal; 64 usage, or the address cannot be used; 69 somebody else listens there; 125 tenure
itself failed.

Examples:
  tenure web
  tenure web --http 0.0.0.0:7411 --http-token-file /etc/tenure/token --redis redis://a --redis redis://b --redis redis://c
  curl -s http://127.0.0.1:7411/api/v1/locks
)";

}  // namespace tenure::cli
