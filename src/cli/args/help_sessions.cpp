#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view sessions_help_text =
    R"(Adds, removes, pauses and lists what a fleet polls. The fleet notices at once; nothing has to be restarted.

Usage: tenure sessions add ID ADDRESS [--every DURATION] [--replace] [OPTIONS]
       tenure sessions rm ID [OPTIONS]
       tenure sessions pause ID [OPTIONS]
       tenure sessions resume ID [OPTIONS]
       tenure sessions ls [--json] [--index] [OPTIONS]

  add                   adds a session. One that exists with the same values is left as it is
  rm                    removes it; its last result stays
  pause                 keeps it, but nobody polls it or holds its lease
  resume                lets it be polled again
  ls                    lists all of them: address, interval, owner, time left of the lease, last result

      --every DURATION  add: from one poll to the next, 4s to 2m (10s)
      --replace         add: change the address and the interval of one that exists; its other fields stay
      --json            ls: one JSON object; docs/status-json.md says what is in it
      --index           ls: read the index that these commands keep instead of scanning all keys: for large keyspaces

@FLEET@

@NODES@

A session is a key, session:ID (NAME:session:ID with --fleet NAME), with JSON:
{"id": ID, "address": URL, "interval_ms": 10000, "paused": false}; only the address is required, and other fields are
left alone. A session that was written with redis-cli is found, too, but is not in the index until it is added here.

Exit codes:
    0 done
    1 rm, pause, resume: there is no such session, or its JSON is wrong
   64 usage
   69 the store does not answer, or refuses
   73 add: the id exists already, with other values
   75 somebody else keeps changing the session

Examples:
  tenure sessions add shop https://shop.example/health --every 5s
  tenure sessions pause shop
  tenure sessions ls --json
  tenure sessions rm shop
)";

}  // namespace tenure::cli
