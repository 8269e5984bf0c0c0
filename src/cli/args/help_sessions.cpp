#include "cli/args/help.hpp"

namespace tenure::cli {

const std::string_view sessions_help_text =
    R"(Adds, removes, pauses and lists what a fleet polls. It notices at once, with no restart.

Usage: tenure sessions add ID ADDRESS [--every DURATION] [--replace] [OPTIONS]
       tenure sessions rm ID [OPTIONS]
       tenure sessions pause ID [OPTIONS]
       tenure sessions resume ID [OPTIONS]
       tenure sessions ls [--json] [--index] [OPTIONS]

  add                   a session. One that is there and says the same is left as it is
  rm                    removes it; its last result stays
  pause                 keeps it, but nobody polls it or holds its lease
  resume                ends that
  ls                    all of them: address, how often, owner, time left of its lease, last result

      --every DURATION  add: from one poll to the next, 4s to 2m (10s)
      --replace         add: changes the address and the interval of one that is there. What else its text says
                        stays
      --json            ls: one JSON object; docs/status-json.md says what is in it
      --index           ls: read the index that these commands keep, and not all keys: for large keyspaces

@FLEET@

@NODES@

A session is a key, session:ID (NAME:session:ID with --fleet NAME), with JSON:
{"id": ID, "address": URL, "interval_ms": 10000, "paused": false}; only the address is needed, and other fields are left
alone. One that was written with redis-cli is found, too, but is not in the
index before add has been called for it.

Exit codes:
    0 done
    1 rm, pause, resume: there is no such session, or it is a bad one
   64 usage
   69 Redis does not answer, or refuses
   73 add: the id is there already, and says something else
   75 somebody else changes the session all the time

Examples:
  tenure sessions add shop https://shop.example/health --every 5s
  tenure sessions pause shop
  tenure sessions ls --json
  tenure sessions rm shop
)";

}  // namespace tenure::cli
