#include "cli/nodes/print_schema.hpp"

#include <cstdio>
#include <sstream>

#include "cli/message.hpp"
#include "cli/version.hpp"
#include "postgres/schema.hpp"

namespace tenure::cli {

namespace {

std::string header() {
  return "-- The schema in which Tenure keeps leases in a PostgreSQL: version " +
         std::to_string(postgres::schema_version) + ", by tenure " + std::string(version()) +
         ".\n"
         "-- 1. Run it once in the database, in one transaction, as somebody who may create a schema there:\n"
         "--      tenure init --print-sql >tenure.sql\n"
         "--      psql -1 -v ON_ERROR_STOP=1 -f tenure.sql -d DATABASE\n"
         "-- 2. If clients of Tenure come as another role, let it use the schema: the statements behind "
         "\"GRANTS\" at\n"
         "--    the end of this file, for that role.\n"
         "-- 3. Make the record, as that role, so that nobody waits: tenure init --store "
         "postgresql://ROLE@HOST/DATABASE\n\n";
}

// What a role needs that takes leases, and no more.
constexpr auto for_leases =
    "GRANT USAGE ON SCHEMA tenure TO @;\n"
    "GRANT SELECT, INSERT, UPDATE ON TABLE tenure.record TO @;\n"
    "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE tenure.lease, tenure.waiter, tenure.beat TO @;\n"
    "GRANT SELECT ON TABLE tenure.fleet TO @;\n"
    "GRANT SELECT, UPDATE ON SEQUENCE tenure.fence TO @;\n"
    "GRANT USAGE ON SEQUENCE tenure.place TO @;\n";
// What it needs besides where it takes part in a fleet, or writes sessions.
constexpr auto for_fleets =
    "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE tenure.session TO @;\n"
    "GRANT SELECT, INSERT, UPDATE ON TABLE tenure.fleet, tenure.state TO @;\n";
// And one that only asks tenure.holds() or tenure.fence() before it writes.
constexpr auto for_fencing =
    "GRANT USAGE ON SCHEMA tenure TO @;\n"
    "GRANT SELECT (name, token, kept, ends), UPDATE (told) ON TABLE tenure.lease TO @;\n";

std::string grants(std::string text, const std::string& role) {
  for (auto at = text.find('@'); at != std::string::npos; at = text.find('@', at + role.size())) {
    text.replace(at, 1, role);
  }
  return text;
}

std::string as_comment(const std::string& text) {
  std::string comment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) comment += "--   " + line + "\n";
  return comment;
}

std::string footer() {
  return "\n-- GRANTS: for every role that clients of Tenure come as.\n" +
         as_comment(grants(for_leases, "ROLE")) +
         "-- For one that takes part in fleets, or writes sessions, these as well:\n" +
         as_comment(grants(for_fleets, "ROLE")) +
         "-- For a role that takes no leases, but asks tenure.holds() or tenure.fence() before it writes:\n" +
         as_comment(grants(for_fencing, "ROLE"));
}

}  // namespace

std::string grants_for(const std::string& role) { return grants(for_leases, role); }

int print_schema() {
  std::fputs((header() + postgres::schema_sql() + footer()).c_str(), stdout);
  return finish_output();
}

}  // namespace tenure::cli
